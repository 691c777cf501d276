package dev.weir.auth.user;

/** Makes and checks password hashes. Thread-safe; both calls take tens of milliseconds of CPU. */
interface PasswordHasher {

    /** @return a hash in the standard text form */
    String hash(String password);

    /** @param hash a hash that {@link Argon2Hasher#problem} accepts */
    boolean matches(String password, String hash);
}
