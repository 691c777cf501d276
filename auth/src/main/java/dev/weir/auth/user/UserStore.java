package dev.weir.auth.user;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.auth.PrivateFile;
import dev.weir.auth.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The users in force, and changes to their file. Thread-safe.
 *
 * <p>Changes are written under a lock file beside the users file, so that a command and a running gateway can work on
 * it at once; each starts from what the file says, not from what was read before. Changes made elsewhere are seen by
 * {@link #poll}. A file that cannot be read any more leaves the last good users in force and shows in {@link #status}.
 */
public final class UserStore {

    private static final Logger LOG = LoggerFactory.getLogger(UserStore.class);

    private final Path file;
    private final Path lockFile;
    private final Clock clock;
    private final PasswordHasher hasher;
    private final Object reloading = new Object();

    @GuardedBy("reloading")
    private FileStamp stamp = FileStamp.NONE;

    private volatile Map<String, StoredUser> users = Map.of();
    private volatile UsersFileStatus status;

    UserStore(Path file, Clock clock, PasswordHasher hasher) {
        this.file = file.toAbsolutePath();
        this.lockFile = this.file.resolveSibling(this.file.getFileName() + ".lock");
        this.clock = clock;
        this.hasher = hasher;
        this.status = new UsersFileStatus(0, Instant.EPOCH, null);
    }

    /**
     * Opens an existing users file.
     *
     * @throws UsersFileException when it is missing, cannot be read or is not valid
     */
    public static UserStore open(Path file, Clock clock) {
        return start(new UserStore(file, clock, new Argon2Hasher()));
    }

    /**
     * Opens the users file, and makes one without users when it is missing.
     *
     * @throws UsersFileException when it cannot be made or read, or is not valid
     */
    public static UserStore openOrCreate(Path file, Clock clock) {
        UserStore store = new UserStore(file, clock, new Argon2Hasher());
        store.createIfMissing();
        return start(store);
    }

    static UserStore start(UserStore store) {
        store.loadFirst();
        store.warnIfReadableByOthers();
        return store;
    }

    /** The users in force, in the file's order. */
    public List<UserEntry> list() {
        return users.values().stream().map(StoredUser::entry).toList();
    }

    /** The agreement of the users in force with the file. */
    public UsersFileStatus status() {
        return status;
    }

    /**
     * Adds a user; in force when this returns.
     *
     * @throws UsersFileException when the name is taken, or a name or the password is not valid
     */
    public void add(String name, String password, Role role, List<String> groups) {
        UsersFile.requireName("user name", name);
        UsersFile.requireGroups(groups);
        StoredUser user = new StoredUser(name, hash(password), role, groups);
        change(all -> {
            if (all.putIfAbsent(name, user) != null) {
                throw new UsersFileException("user '" + name + "' exists already");
            }
        });
    }

    /**
     * Gives a user another password; bearers issued under the old one end with it.
     *
     * @throws UsersFileException when there is no such user or the password is not valid
     */
    public void setPassword(String name, String password) {
        UsersFile.requireName("user name", name);
        String hash = hash(password);
        change(all -> all.compute(name, (key, old) -> {
            StoredUser user = required(name, old);
            return new StoredUser(
                    name, hash, user.identity().role(), user.identity().groups());
        }));
    }

    /**
     * Removes a user.
     *
     * @throws UsersFileException when there is no such user
     */
    public void remove(String name) {
        UsersFile.requireName("user name", name);
        change(all -> required(name, all.remove(name)));
    }

    /**
     * Makes the first user, {@code admin} with the role admin, unless there are users.
     *
     * @return whether it was made
     * @throws UsersFileException when the password is not valid
     */
    @CanIgnoreReturnValue
    public boolean createAdminIfEmpty(String password) {
        if (!users.isEmpty()) {
            return false;
        }
        StoredUser admin = new StoredUser("admin", hash(password), Role.ADMIN, List.of());
        AtomicBoolean made = new AtomicBoolean();
        change(all -> {
            if (all.isEmpty()) {
                all.put(admin.name(), admin);
                made.set(true);
            }
        });
        return made.get();
    }

    /** Reads the file again if it changed. To be called every 2 seconds at most; cheap when nothing changed. */
    public void poll() {
        reload(false);
    }

    @Nullable
    StoredUser find(String name) {
        return users.get(name);
    }

    private void createIfMissing() {
        if (Files.exists(file)) {
            return;
        }
        locked(() -> {
            if (Files.notExists(file)) {
                PrivateFile.write(file, UsersFile.render(List.of()));
            }
        });
    }

    private void change(Consumer<Map<String, StoredUser>> edit) {
        locked(() -> {
            Map<String, StoredUser> all = new LinkedHashMap<>(load());
            edit.accept(all);
            PrivateFile.write(file, UsersFile.render(all.values()));
        });
        reload(true);
    }

    private void locked(IoAction action) {
        try {
            PrivateFile.createParent(file);
            PrivateFile.locked(lockFile, () -> {
                action.run();
                return true;
            });
        } catch (IOException e) {
            throw new UsersFileException("users file " + file + " cannot be written: " + PrivateFile.reason(e), e);
        }
    }

    private void loadFirst() {
        synchronized (reloading) {
            stamp = FileStamp.of(file);
            publish(load());
        }
    }

    private void reload(boolean always) {
        synchronized (reloading) {
            FileStamp now = FileStamp.of(file);
            if (!always && status.problem() == null && now.provesUnchangedSince(stamp)) {
                return;
            }
            stamp = now;
            try {
                publish(load());
            } catch (UsersFileException e) {
                report(String.valueOf(e.getMessage()));
            }
        }
    }

    private Map<String, StoredUser> load() {
        try {
            return UsersFile.parse(PrivateFile.read(file, UsersFile.MAX_BYTES));
        } catch (UsersFileException | IOException e) {
            throw new UsersFileException("users file " + file + ": " + PrivateFile.reason(e), e);
        }
    }

    /** Users that did not change keep their record. */
    @GuardedBy("reloading")
    private void publish(Map<String, StoredUser> read) {
        Map<String, StoredUser> old = users;
        boolean changed = read.size() != old.size();
        for (Map.Entry<String, StoredUser> entry : read.entrySet()) {
            StoredUser known = old.get(entry.getKey());
            if (known != null && known.version().equals(entry.getValue().version())) {
                entry.setValue(known);
            } else {
                changed = true;
            }
        }
        users = read;
        if (changed || status.problem() != null) {
            LOG.info("users file read: {} users", read.size());
        }
        status = new UsersFileStatus(read.size(), clock.instant(), null);
    }

    @GuardedBy("reloading")
    private void report(String problem) {
        if (!problem.equals(status.problem())) {
            LOG.error("{}; the users read before stay in force", problem);
        }
        status = new UsersFileStatus(status.users(), status.loadedAt(), problem);
    }

    private void warnIfReadableByOthers() {
        try {
            if (PrivateFile.readableByOthers(file)) {
                LOG.warn("users file {} can be read by other accounts; chmod 600 it", file);
            }
        } catch (IOException e) {
            LOG.debug("permissions of the users file cannot be read", e);
        }
    }

    private String hash(String password) {
        Passwords.requireValid(password);
        return hasher.hash(password);
    }

    private static StoredUser required(String name, @Nullable StoredUser user) {
        if (user == null) {
            throw new UsersFileException("there is no user '" + name + "'");
        }
        return user;
    }

    /** An action on files without a result. */
    @FunctionalInterface
    private interface IoAction {
        void run() throws IOException;
    }
}
