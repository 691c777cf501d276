package dev.weir.gateway.config;

import dev.weir.admission.AdmissionLimits;
import dev.weir.admission.GroupLimits;
import dev.weir.admission.RateLimit;
import dev.weir.gateway.query.QueryLimits;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Limits as the configuration writes them; what this gives can be given back as a change. */
final class LimitsView {

    private LimitsView() {}

    static Map<String, Object> of(EffectiveLimits limits) {
        AdmissionLimits admission = limits.admission();
        GroupLimits everyone = limits.everyone();
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("max-running", admission.maxRunning());
        tree.put("max-queued", admission.maxQueued());
        tree.put("short-lane", admission.shortLane());
        tree.put("short-query", text(admission.shortQuery()));
        tree.put("max-paused", admission.maxPaused());
        clocks(tree, limits.everyonesClocks());
        tree.put("describe-timeout", text(limits.clocks().describeTimeout()));
        rate(tree, admission.rate());
        Map<String, Object> memory = memory(everyone);
        memory.put("high-water", limits.highWater());
        tree.put("memory", memory);
        tree.put("user", user(everyone));
        Map<String, Object> groups = new LinkedHashMap<>();
        for (String name : new TreeSet<>(limits.clocks().groups().keySet())) {
            QueryLimits.Clocks clocks = limits.clocks().groups().get(name);
            groups.put(name, group(admission.group(name), Objects.requireNonNull(clocks)));
        }
        tree.put("groups", groups);
        return tree;
    }

    private static Map<String, Object> group(GroupLimits limits, QueryLimits.Clocks clocks) {
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("max-running", limits.maxRunning());
        tree.put("max-queued", limits.maxQueued());
        tree.put("weight", limits.weight());
        clocks(tree, clocks);
        rate(tree, limits.rate());
        tree.put("memory", memory(limits));
        tree.put("user", user(limits));
        return tree;
    }

    private static void clocks(Map<String, Object> tree, QueryLimits.Clocks clocks) {
        tree.put("queue-timeout", text(clocks.queueTimeout()));
        tree.put("statement-timeout", text(clocks.statementTimeout()));
        tree.put("client-stall-timeout", text(clocks.clientStallTimeout()));
    }

    private static Map<String, Object> memory(GroupLimits limits) {
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("budget", limits.memoryBudgetBytes() + "B");
        tree.put("per-query", limits.memoryPerQueryBytes() + "B");
        tree.put("max-per-query", limits.memoryMaxPerQueryBytes() + "B");
        return tree;
    }

    private static Map<String, Object> user(GroupLimits limits) {
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("max-running", limits.user().maxRunning());
        tree.put("max-queued", limits.user().maxQueued());
        tree.put("max-paused", limits.user().maxPaused());
        rate(tree, limits.user().rate());
        return tree;
    }

    private static void rate(Map<String, Object> tree, @Nullable RateLimit rate) {
        if (rate != null) {
            Map<String, Object> written = new LinkedHashMap<>();
            written.put("requests", rate.requests());
            written.put("period", text(rate.period()));
            written.put("burst", rate.burst());
            tree.put("rate", written);
        }
    }

    private static String text(Duration duration) {
        long millis = duration.toMillis();
        return millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms";
    }
}
