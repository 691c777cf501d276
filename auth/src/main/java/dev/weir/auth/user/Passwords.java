package dev.weir.auth.user;

import java.security.SecureRandom;

/** What a password may be, and a way to make one. */
public final class Passwords {

    /** Fewest characters (UTF-16 units) of a new password. */
    public static final int MIN_LENGTH = 8;

    /** Most characters (UTF-16 units) of a password; a longer one is never checked. */
    public static final int MAX_LENGTH = 1024;

    /** Without the characters that people mistake for one another. */
    private static final String ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789";

    private static final int RANDOM_LENGTH = 24;

    private Passwords() {}

    /** Makes a random password of 24 letters and digits (more than 128 bits), safe in URLs and shells. */
    public static String random() {
        SecureRandom random = new SecureRandom();
        StringBuilder password = new StringBuilder(RANDOM_LENGTH);
        for (int i = 0; i < RANDOM_LENGTH; i++) {
            password.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
        }
        return password.toString();
    }

    /**
     * Checks a new password.
     *
     * @throws UsersFileException when it is too short, too long, or has characters that cannot be sent by HTTP Basic
     */
    public static void requireValid(String password) {
        if (password.length() < MIN_LENGTH || password.length() > MAX_LENGTH) {
            throw new UsersFileException("the password must have " + MIN_LENGTH + " to " + MAX_LENGTH + " characters");
        }
        if (password.chars().anyMatch(Character::isISOControl)) {
            throw new UsersFileException("the password must not have control characters, such as a line end");
        }
        if (!isWellFormed(password)) {
            throw new UsersFileException("the password is no valid Unicode text");
        }
    }

    /** Whether the text has a UTF-8 form: no surrogate stands alone. */
    static boolean isWellFormed(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
            } else if (Character.isSurrogate(c)) {
                return false;
            }
        }
        return true;
    }
}
