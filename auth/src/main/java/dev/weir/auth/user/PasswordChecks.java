package dev.weir.auth.user;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.weir.auth.AuthenticationFailedException;
import dev.weir.auth.AuthenticationFailedException.Reason;
import dev.weir.auth.Identity;
import dev.weir.auth.user.Fingerprints.Fingerprint;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks passwords on a few threads of its own and remembers the answers.
 *
 * <p>An answer is remembered for one user, password and version of the user's record, so that it ends with a change of
 * any of them. Checks of the same three at once are made once. Unknown users cost the same as known ones. Thread-safe.
 */
final class PasswordChecks implements AutoCloseable {

    static final int QUEUE_LENGTH = 64;
    static final Duration REMEMBER_RIGHT = Duration.ofMinutes(5);
    static final Duration REMEMBER_WRONG = Duration.ofSeconds(10);

    private static final Logger LOG = LoggerFactory.getLogger(PasswordChecks.class);
    private static final int MAX_REMEMBERED = 10_000;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
    private static final String NO_VERSION = "";

    private final UserStore users;
    private final PasswordHasher hasher;
    private final String dummyHash;
    private final Fingerprints fingerprints = new Fingerprints();
    private final Cache<Fingerprint, Boolean> accepted;
    private final Cache<Fingerprint, Boolean> refused;
    private final ConcurrentMap<Fingerprint, CompletableFuture<Identity>> running = new ConcurrentHashMap<>();
    private final FailureThrottle throttle;
    private final ThreadPoolExecutor pool;

    /**
     * @param threads that hash
     * @param nanoTime counts nanoseconds, as {@link System#nanoTime} does
     */
    PasswordChecks(UserStore users, PasswordHasher hasher, int threads, LongSupplier nanoTime) {
        this.users = users;
        this.hasher = hasher;
        this.dummyHash = hasher.hash(Passwords.random());
        this.accepted = cache(REMEMBER_RIGHT, nanoTime);
        this.refused = cache(REMEMBER_WRONG, nanoTime);
        this.throttle = new FailureThrottle(nanoTime);
        AtomicInteger count = new AtomicInteger();
        this.pool = new ThreadPoolExecutor(
                threads, threads, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(QUEUE_LENGTH), task -> {
                    Thread thread = new Thread(task, "weir-password-" + count.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
    }

    private static Cache<Fingerprint, Boolean> cache(Duration timeToLive, LongSupplier nanoTime) {
        return Caffeine.newBuilder()
                .maximumSize(MAX_REMEMBERED)
                .expireAfterWrite(timeToLive)
                .ticker(nanoTime::getAsLong)
                .executor(Runnable::run)
                .build();
    }

    CompletableFuture<Identity> check(String name, String password) {
        if (!UsersFile.isName(name) || password.length() > Passwords.MAX_LENGTH || !Passwords.isWellFormed(password)) {
            return CompletableFuture.failedFuture(wrong());
        }
        StoredUser user = users.find(name);
        Fingerprint key = fingerprints.of(name, password, user == null ? NO_VERSION : user.version());
        CompletableFuture<Identity> known = remembered(key, user);
        if (known != null) {
            return known;
        }
        CompletableFuture<Identity> mine = new CompletableFuture<>();
        CompletableFuture<Identity> others = running.putIfAbsent(key, mine);
        if (others != null) {
            return fork(others);
        }
        CompletableFuture<Identity> result = fork(mine);
        start(new Check(name, password, user, key, mine));
        return result;
    }

    @Override
    public void close() {
        pool.shutdownNow().forEach(task -> ((Check) task).refuse(busy()));
        try {
            if (!pool.awaitTermination(CLOSE_TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                LOG.warn("password checks still run {} s after the end", CLOSE_TIMEOUT.toSeconds());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private @Nullable CompletableFuture<Identity> remembered(Fingerprint key, @Nullable StoredUser user) {
        if (user != null && accepted.getIfPresent(key) != null) {
            return CompletableFuture.completedFuture(user.identity());
        }
        return refused.getIfPresent(key) != null ? CompletableFuture.failedFuture(wrong()) : null;
    }

    private void start(Check check) {
        // Another thread may have finished the same check between the look into the caches and the entry here.
        CompletableFuture<Identity> known = remembered(check.key, check.user);
        if (known != null) {
            check.finish(known);
        } else if (!throttle.tryTake(check.name)) {
            check.refuse(new AuthenticationFailedException(
                    Reason.BUSY, "Too many wrong passwords for this user; try again in a few seconds."));
        } else {
            try {
                pool.execute(check);
            } catch (RejectedExecutionException full) {
                throttle.giveBack(check.name);
                check.refuse(busy());
            }
        }
    }

    /** A stage of the caller's own: completing or cancelling it leaves the others' alone, and errors come bare. */
    private static CompletableFuture<Identity> fork(CompletableFuture<Identity> source) {
        CompletableFuture<Identity> copy = new CompletableFuture<>();
        pass(source, copy);
        return copy;
    }

    private static void pass(CompletableFuture<Identity> source, CompletableFuture<Identity> target) {
        var unused = source.whenComplete((identity, failure) -> {
            if (failure != null) {
                target.completeExceptionally(failure);
            } else {
                target.complete(identity);
            }
        });
    }

    static AuthenticationFailedException wrong() {
        return new AuthenticationFailedException(Reason.WRONG, "The user name or the password is wrong.");
    }

    private static AuthenticationFailedException busy() {
        return new AuthenticationFailedException(
                Reason.BUSY, "Too many passwords are being checked at once; try again in a few seconds.");
    }

    /** One check that no other is like. */
    private final class Check implements Runnable {

        private final String name;
        private final String password;
        private final @Nullable StoredUser user;
        private final Fingerprint key;
        private final CompletableFuture<Identity> result;

        Check(
                String name,
                String password,
                @Nullable StoredUser user,
                Fingerprint key,
                CompletableFuture<Identity> result) {
            this.name = name;
            this.password = password;
            this.user = user;
            this.key = key;
            this.result = result;
        }

        @Override
        public void run() {
            try {
                boolean matches = hasher.matches(password, user == null ? dummyHash : user.hash());
                if (matches && user != null) {
                    throttle.giveBack(name);
                    accepted.put(key, true);
                    accept(user);
                } else {
                    refused.put(key, true);
                    refuse(wrong());
                }
            } catch (RuntimeException | OutOfMemoryError e) {
                throttle.giveBack(name);
                LOG.error("a password could not be checked", e);
                refuse(new AuthenticationFailedException(
                        Reason.BUSY, "The password could not be checked; try again in a few seconds."));
            }
        }

        /** The record may have changed while the check was waiting. */
        private void accept(StoredUser checked) {
            StoredUser current = users.find(name);
            if (current == null || !current.version().equals(checked.version())) {
                refuse(wrong());
                return;
            }
            running.remove(key, result);
            result.complete(current.identity());
        }

        void refuse(AuthenticationFailedException failure) {
            running.remove(key, result);
            result.completeExceptionally(failure);
        }

        void finish(CompletableFuture<Identity> known) {
            running.remove(key, result);
            pass(known, result);
        }
    }
}
