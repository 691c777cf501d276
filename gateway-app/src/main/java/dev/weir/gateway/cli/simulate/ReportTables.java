package dev.weir.gateway.cli.simulate;

import dev.weir.admission.AdmissionLimits;
import dev.weir.gateway.cli.table.TablePrinter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/** A report as aligned tables: the policies, then groups and users under each of them. */
final class ReportTables {

    private static final List<String> WAITS =
            List.of("started", "refused", "waiting", "mean", "p50", "p95", "p99", "max", "resource-s");

    private final SimulationReport report;
    private final Appendable out;

    ReportTables(SimulationReport report, Appendable out) {
        this.report = report;
        this.out = out;
    }

    void print(int maxUsers) throws IOException {
        AdmissionLimits limits = report.limits();
        out.append(String.format(
                Locale.ROOT,
                "%s%nmax-running %d, short-lane %d, memory.budget %s; waits in seconds%n",
                report.trace(),
                limits.maxRunning(),
                limits.shortLane(),
                size(limits.memoryBudgetBytes())));
        if (!report.remark().isEmpty()) {
            out.append(report.remark()).append('\n');
        }
        out.append('\n');
        policies();
        out.append('\n');
        table("group", PolicyReport::groups, Integer.MAX_VALUE);
        out.append('\n');
        table("user", PolicyReport::users, maxUsers);
    }

    private static String size(long bytes) {
        return bytes % (1 << 20) == 0 ? (bytes >> 20) + "MB" : bytes + "B";
    }

    private void policies() throws IOException {
        TablePrinter table = printer(
                List.of("policy"),
                List.of(
                        "seconds",
                        "started",
                        "refused",
                        "waiting",
                        "mean",
                        "p95",
                        "running",
                        "slots",
                        "memory",
                        "jain users",
                        "jain groups"));
        for (PolicyReport policy : report.policies()) {
            PolicyReport.Figures all = policy.all();
            table.row(List.of(
                    policy.policy().label(),
                    number(policy.measuredSeconds(), 1),
                    Long.toString(all.started()),
                    Long.toString(all.refused()),
                    Long.toString(all.waiting()),
                    number(all.waits().mean(), 3),
                    number(all.waits().p95(), 3),
                    number(policy.running(), 2),
                    percent(policy.slots()),
                    percent(policy.memory()),
                    number(policy.jainUsers(), 3),
                    number(policy.jainGroups(), 3)));
        }
        table.flush();
    }

    /** Rows of the same user or group stand together, one for each policy. */
    private void table(String title, Function<PolicyReport, List<PolicyReport.Figures>> part, int most)
            throws IOException {
        TablePrinter table = printer(List.of(title, "policy"), WAITS);
        List<String> names = names(part);
        for (String name : names.subList(0, Math.min(most, names.size()))) {
            for (PolicyReport policy : report.policies()) {
                for (PolicyReport.Figures figures : part.apply(policy)) {
                    if (figures.name().equals(name)) {
                        table.row(row(figures, policy));
                    }
                }
            }
        }
        table.flush();
        if (names.size() > most) {
            out.append("(and " + (names.size() - most) + " more; --max-users shows more, --format json all)\n");
        }
    }

    /** By the longest p95 under any policy, so that who suffers is seen first; the same for all by name. */
    private List<String> names(Function<PolicyReport, List<PolicyReport.Figures>> part) {
        TreeMap<String, Double> worst = new TreeMap<>();
        report.policies().stream()
                .flatMap(policy -> part.apply(policy).stream())
                .forEach(figures -> worst.merge(figures.name(), figures.waits().p95(), Math::max));
        List<String> names = new ArrayList<>(worst.keySet());
        names.sort(Comparator.comparing(name -> -worst.getOrDefault(name, 0.0)));
        return names;
    }

    private static List<String> row(PolicyReport.Figures figures, PolicyReport policy) {
        Waits.Summary waits = figures.waits();
        return List.of(
                figures.name(),
                policy.policy().label(),
                Long.toString(figures.started()),
                Long.toString(figures.refused()),
                Long.toString(figures.waiting()),
                number(waits.mean(), 3),
                number(waits.p50(), 3),
                number(waits.p95(), 3),
                number(waits.p99(), 3),
                number(waits.max(), 3),
                number(figures.resourceSeconds(), 2));
    }

    private TablePrinter printer(List<String> texts, List<String> numbers) {
        List<TablePrinter.Column> columns = Stream.concat(
                        texts.stream().map(name -> new TablePrinter.Column(name, false)),
                        numbers.stream().map(name -> new TablePrinter.Column(name, true)))
                .toList();
        return new TablePrinter(out, columns, 40);
    }

    private static String number(double value, int decimals) {
        return String.format(Locale.ROOT, "%." + decimals + "f", value);
    }

    private static String percent(double part) {
        return number(100 * part, 1) + "%";
    }
}
