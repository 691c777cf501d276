package dev.weir.gateway.cli;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Times as {@code 500ms}, {@code 30s}, {@code 5m}, {@code 1h}; a number alone is seconds. */
final class DurationConverter implements ITypeConverter<Duration> {

    private static final Pattern TIME = Pattern.compile("(\\d{1,9})(ms|s|m|h|)");

    @Override
    public Duration convert(String value) {
        Matcher time = TIME.matcher(value.toLowerCase(Locale.ROOT));
        if (!time.matches()) {
            throw new TypeConversionException("'" + value + "' is no time; write it as 500ms, 30s or 5m");
        }
        long number = Long.parseLong(time.group(1));
        Duration duration = switch (time.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofSeconds(number);
        };
        if (duration.isZero()) {
            throw new TypeConversionException("the time must be more than 0");
        }
        return duration;
    }
}
