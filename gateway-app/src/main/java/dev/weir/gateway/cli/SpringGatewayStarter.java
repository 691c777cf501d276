package dev.weir.gateway.cli;

/** Hands over to the Spring application. */
final class SpringGatewayStarter implements GatewayStarter {

    @Override
    public int run(Request request) {
        throw CommandFailure.failure("this build has no gateway in it");
    }
}
