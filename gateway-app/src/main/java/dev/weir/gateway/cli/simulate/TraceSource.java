package dev.weir.gateway.cli.simulate;

import dev.weir.admission.AdmissionLimits;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A kind of user in a generated trace.
 *
 * @param user name; with several users, the part before their number
 * @param users how many there are, each of whom does all of what follows
 * @param group their group
 * @param arrivals when each of them asks
 * @param service how long their queries run
 * @param memoryBytes reservation asked for; empty for the default
 * @param statement name of the one statement that they all send; {@link #VARIED} for a new one each time
 */
record TraceSource(
        String user,
        int users,
        String group,
        Arrivals arrivals,
        ServiceTimes service,
        OptionalLong memoryBytes,
        String statement) {

    static final String VARIED = "varied";

    private static final Set<String> KEYS =
            Set.of("user", "users", "group", "arrivals", "service", "memory", "statement");

    static TraceSource read(YamlValue value) {
        Map<String, YamlValue> fields = value.fields(KEYS);
        String user = value.required(fields, "user").text();
        YamlValue users = fields.get("users");
        YamlValue group = fields.get("group");
        YamlValue memory = fields.get("memory");
        YamlValue statement = fields.get("statement");
        return new TraceSource(
                user,
                users == null ? 1 : (int) users.count(1, 100_000),
                group == null ? AdmissionLimits.DEFAULT_GROUP : group.text(),
                Arrivals.read(value.required(fields, "arrivals")),
                ServiceTimes.read(value.required(fields, "service")),
                memory == null ? OptionalLong.empty() : OptionalLong.of(memory.bytes()),
                statement == null ? "statement of " + user : statement.text());
    }

    /** Name of one of the users, counted from 0. */
    String userName(int number) {
        return users == 1 ? user : user + "-" + (number + 1);
    }
}
