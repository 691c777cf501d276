package dev.weir.gateway.cli.simulate;

import dev.weir.admission.AdmissionLimits;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A report as JSON. Times are in seconds, parts of a whole from 0 to 1. */
final class ReportJson {

    private static final JsonMapper JSON = new JsonMapper();

    private ReportJson() {}

    static String of(SimulationReport report) {
        ObjectNode top = JSON.createObjectNode();
        top.put("trace", report.trace());
        if (!report.remark().isEmpty()) {
            top.put("remark", report.remark());
        }
        AdmissionLimits limits = report.limits();
        top.putObject("limits")
                .put("maxRunning", limits.maxRunning())
                .put("shortLane", limits.shortLane())
                .put("maxQueued", limits.maxQueued())
                .put("memoryBudgetBytes", limits.memoryBudgetBytes());
        ArrayNode policies = top.putArray("policies");
        report.policies().forEach(policy -> policy(policies.addObject(), policy));
        return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(top);
    }

    private static void policy(ObjectNode to, PolicyReport policy) {
        to.put("policy", policy.policy().label()).put("measuredSeconds", policy.measuredSeconds());
        figures(to.putObject("all"), policy.all());
        to.putObject("utilisation")
                .put("running", policy.running())
                .put("inLane", policy.inLane())
                .put("slots", policy.slots())
                .put("memory", policy.memory());
        to.putObject("fairness").put("users", policy.jainUsers()).put("groups", policy.jainGroups());
        ArrayNode groups = to.putArray("groups");
        policy.groups().forEach(group -> figures(groups.addObject().put("group", group.name()), group));
        ArrayNode users = to.putArray("users");
        policy.users()
                .forEach(user ->
                        figures(users.addObject().put("user", user.name()).put("group", user.group()), user));
    }

    private static void figures(ObjectNode to, PolicyReport.Figures figures) {
        to.put("started", figures.started())
                .put("refused", figures.refused())
                .put("waiting", figures.waiting())
                .put("resourceSeconds", figures.resourceSeconds());
        Waits.Summary waits = figures.waits();
        to.putObject("waitSeconds")
                .put("mean", waits.mean())
                .put("p50", waits.p50())
                .put("p95", waits.p95())
                .put("p99", waits.p99())
                .put("max", waits.max());
    }
}
