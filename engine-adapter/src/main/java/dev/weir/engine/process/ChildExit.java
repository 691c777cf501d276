package dev.weir.engine.process;

/**
 * How a child ended.
 *
 * @param code exit code; 128 and the signal's number after a signal
 * @param memory whether it ended because it had no memory left
 * @param wanted whether the gateway ended it
 */
record ChildExit(int code, boolean memory, boolean wanted) {

    /** For people. */
    String words() {
        if (memory) {
            return "had no memory left";
        }
        return switch (code) {
            case 128 + 9 -> "was killed";
            case 128 + 6, 128 + 11 -> "crashed (signal " + (code - 128) + ")";
            default -> "ended with code " + code;
        };
    }
}
