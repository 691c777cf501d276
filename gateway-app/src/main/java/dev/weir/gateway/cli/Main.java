package dev.weir.gateway.cli;

/** Entry point of {@code bin/weir}. */
public final class Main {

    private Main() {}

    public static void main(String[] args) {}
}
