package dev.weir.auth;

import dev.weir.auth.token.BearerTokens;
import dev.weir.auth.token.HmacTicketSigner;
import dev.weir.auth.token.SigningKey;
import dev.weir.auth.token.TicketSigner;
import dev.weir.auth.user.FileAuthenticator;
import dev.weir.auth.user.UserStore;
import dev.weir.auth.user.UsersFileException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The users, the authenticator and the ticket signer of one gateway, wired together. Owns the threads that check
 * passwords and follow the users file, until closed.
 */
public final class AuthModule implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(AuthModule.class);
    private static final long POLL_MILLIS = 1000;

    private final UserStore userStore;
    private final FileAuthenticator authenticator;
    private final TicketSigner ticketSigner;
    private final ScheduledExecutorService scheduler;

    private AuthModule(
            UserStore userStore,
            FileAuthenticator authenticator,
            TicketSigner ticketSigner,
            ScheduledExecutorService scheduler) {
        this.userStore = userStore;
        this.authenticator = authenticator;
        this.ticketSigner = ticketSigner;
        this.scheduler = scheduler;
        var unused = scheduler.scheduleWithFixedDelay(this::poll, POLL_MILLIS, POLL_MILLIS, TimeUnit.MILLISECONDS);
    }

    /**
     * Opens the users file and the keys, and makes them when they are missing.
     *
     * @throws UsersFileException when the users file cannot be read or is not valid; the message names property, user
     *     and key
     * @throws UncheckedIOException when the data directory cannot be used; the message names the property
     */
    public static AuthModule open(AuthSettings settings) {
        return open(settings, Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "weir-users-file");
            thread.setDaemon(true);
            return thread;
        }));
    }

    /** @param scheduler ended with the module */
    static AuthModule open(AuthSettings settings, ScheduledExecutorService scheduler) {
        try {
            SigningKey key = signingKey(settings);
            UserStore users = userStore(settings);
            BearerTokens tokens = new BearerTokens(key, settings.bearerTimeToLive(), settings.clock());
            return new AuthModule(
                    users,
                    new FileAuthenticator(users, tokens),
                    new HmacTicketSigner(key, settings.clock()),
                    scheduler);
        } catch (RuntimeException e) {
            scheduler.shutdownNow();
            throw e;
        }
    }

    public UserStore userStore() {
        return userStore;
    }

    public Authenticator authenticator() {
        return authenticator;
    }

    public TicketSigner ticketSigner() {
        return ticketSigner;
    }

    @Override
    public void close() {
        scheduler.shutdownNow();
        authenticator.close();
    }

    private void poll() {
        try {
            userStore.poll();
        } catch (RuntimeException e) {
            // Thrown on, it would end the polling for good.
            LOG.error("the users file could not be polled", e);
        }
    }

    private static SigningKey signingKey(AuthSettings settings) {
        Path given = settings.tokenKeyFile();
        try {
            PrivateFile.createDirectory(settings.dataDir());
            return given == null ? SigningKey.loadOrCreate(settings.dataDir()) : SigningKey.load(given);
        } catch (IOException e) {
            String file = given == null
                    ? "weir.data-dir: keys/token.key in " + settings.dataDir()
                    : "weir.auth.token-key-file: the file " + given;
            throw new UncheckedIOException(file + " cannot be used: " + PrivateFile.reason(e), e);
        }
    }

    private static UserStore userStore(AuthSettings settings) {
        try {
            return UserStore.openOrCreate(settings.effectiveUsersFile(), settings.clock());
        } catch (UsersFileException e) {
            throw new UsersFileException("weir.auth.users-file: " + e.getMessage(), e);
        }
    }
}
