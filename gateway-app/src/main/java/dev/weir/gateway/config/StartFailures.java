package dev.weir.gateway.config;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.core.convert.ConversionFailedException;

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
        String wanted = wanted(find(bind, ConversionFailedException.class));
        String told = wanted == null ? root.getMessage() : wanted;
        String reason = told == null ? "" : " (" + oneLine(told) + ")";
        return property == null
                ? "The property " + bind.getName() + " has a bad value" + reason
                : "The property " + property.getName() + " has a bad value '" + property.getValue() + "'" + reason;
    }

    /** What would be a good value, where Java's own words would not say it; null where they do. */
    private static @Nullable String wanted(@Nullable ConversionFailedException failed) {
        if (failed == null) {
            return null;
        }
        Class<?> type = failed.getTargetType().getObjectType();
        if (type.isEnum()) {
            return "it must be "
                    + Arrays.stream(type.getEnumConstants())
                            .map(value -> ((Enum<?>) value)
                                    .name()
                                    .toLowerCase(Locale.ROOT)
                                    .replace('_', '-'))
                            .collect(Collectors.joining(" or "));
        }
        return Number.class.isAssignableFrom(type) ? "it must be a number" : null;
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
