package dev.weir.gateway.config;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.springframework.context.ConfigurableApplicationContext;

/** A gateway that listens on both fronts. */
public final class RunningGateway implements AutoCloseable {

    private final ConfigurableApplicationContext context;
    private final GatewayLifecycle lifecycle;

    RunningGateway(ConfigurableApplicationContext context, GatewayLifecycle lifecycle) {
        this.context = context;
        this.lifecycle = lifecycle;
    }

    /** Where and how to connect. */
    public ConnectLines connect() {
        return lifecycle.connectLines();
    }

    /** The password of the user {@code admin}, when this start made the user and chose the password itself. */
    public Optional<String> generatedAdminPassword() {
        return lifecycle.generatedAdminPassword();
    }

    /** A user to connect as in an example. */
    public String exampleUser() {
        return lifecycle.exampleUser();
    }

    /** Completes when both fronts are warm and the gateway is ready. */
    public CompletionStage<Void> ready() {
        return lifecycle.warm();
    }

    /** For tests and embedding: the parts. */
    public ConfigurableApplicationContext context() {
        return context;
    }

    /** Drains and stops; returns when everything is closed. */
    @Override
    public void close() {
        context.close();
    }
}
