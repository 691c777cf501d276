package dev.weir.auth.user;

/** Makes and checks password hashes. Thread-safe; both calls take tens of milliseconds of CPU. */
interface PasswordHasher {

    /** Makes a hash in the standard text form. */
    String hash(String password);

    /**
     * Whether the password is the one that was hashed.
     *
     * @param hash one that {@link Argon2Hasher#problem} accepts
     */
    boolean matches(String password, String hash);
}
