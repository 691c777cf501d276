package dev.weir.gateway.cli;

/** What {@code bin/weir} ends with. */
final class ExitCode {

    static final int OK = 0;
    /** The work could not be done. */
    static final int FAILURE = 1;
    /** Options or arguments are wrong; nothing was tried. */
    static final int USAGE = 2;
    /** Ended by Ctrl-C. */
    static final int INTERRUPTED = 130;
    /** The reader of standard output went away, as {@code head} does. */
    static final int BROKEN_PIPE = 141;

    private ExitCode() {}
}
