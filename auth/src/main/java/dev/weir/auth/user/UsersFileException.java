package dev.weir.auth.user;

/**
 * The users file could not be read, is not valid, or does not allow the change. The message is one line for the
 * operator; it names the user and key at fault and never shows the file's content.
 */
public final class UsersFileException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public UsersFileException(String message) {
        super(message);
    }

    public UsersFileException(String message, Throwable cause) {
        super(message, cause);
    }
}
