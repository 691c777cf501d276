package dev.weir.gateway.config;

import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.web.server.PortInUseException;

/** Finds the one line that tells an operator why the gateway did not start. */
final class StartFailures {

    private StartFailures() {}

    static StartFailedException explain(Throwable thrown) {
        StartFailedException own = find(thrown, StartFailedException.class);
        if (own != null) {
            return own;
        }
        UnboundConfigurationPropertiesException unknown = find(thrown, UnboundConfigurationPropertiesException.class);
        if (unknown != null) {
            String names = unknown.getUnboundProperties().stream()
                    .map(property -> property.getName().toString())
                    .sorted()
                    .collect(Collectors.joining(", "));
            return new StartFailedException("Unknown property: " + names, thrown);
        }
        BindException bind = find(thrown, BindException.class);
        if (bind != null) {
            return new StartFailedException(badValue(bind), thrown);
        }
        PortInUseException port = find(thrown, PortInUseException.class);
        if (port != null) {
            return new StartFailedException("Port " + port.getPort() + " is in use", thrown);
        }
        Throwable root = thrown;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String message = root.getMessage();
        return new StartFailedException(message == null ? root.getClass().getSimpleName() : oneLine(message), thrown);
    }

    private static String badValue(BindException bind) {
        ConfigurationProperty property = bind.getProperty();
        Throwable root = bind;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String reason = root.getMessage() == null ? "" : " (" + oneLine(root.getMessage()) + ")";
        return property == null
                ? "The property " + bind.getName() + " has a bad value" + reason
                : "The property " + property.getName() + " has a bad value '" + property.getValue() + "'" + reason;
    }

    private static String oneLine(String message) {
        return message.lines().map(String::strip).collect(Collectors.joining(" "));
    }

    private static <T extends Throwable> @Nullable T find(Throwable thrown, Class<T> type) {
        for (Throwable at = thrown; at != null; at = at.getCause()) {
            if (type.isInstance(at)) {
                return type.cast(at);
            }
        }
        return null;
    }
}
