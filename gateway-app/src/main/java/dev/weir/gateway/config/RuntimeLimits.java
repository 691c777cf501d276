package dev.weir.gateway.config;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.admission.AdmissionController;
import dev.weir.admission.AdmissionLimits;
import dev.weir.engine.EngineCapacity;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.LimitsSource;
import dev.weir.gateway.query.QueryLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.Environment;

/**
 * The limits in force: the configuration, over it the limits file, over that what was changed while the gateway runs.
 * All of it is bound and checked as at the start whenever a part changes; a fault leaves the old limits. Thread-safe;
 * changes follow each other, reads do not wait for them.
 */
final class RuntimeLimits implements LimitsSource {

    private static final Logger log = LoggerFactory.getLogger(RuntimeLimits.class);

    private final Environment environment;
    private final LimitsFile file;

    /** Whether queries run on other machines: then those decide what the defaults are. */
    private final boolean elsewhere;

    private final EffectiveLimits atStart;

    @GuardedBy("this")
    private int cores;

    @GuardedBy("this")
    private long machineBytes;

    @GuardedBy("this")
    private EngineCapacity capacity = EngineCapacity.UNBOUNDED;

    @GuardedBy("this")
    private long largestQuery = Long.MAX_VALUE;

    /** Everything over the configuration. */
    @GuardedBy("this")
    private Map<String, Object> overlay;

    /** So that a broken file is told of once. */
    @GuardedBy("this")
    private String lastFault = "";

    @GuardedBy("this")
    private @Nullable AdmissionController admission;

    @GuardedBy("this")
    private boolean warm;

    /** As configured. */
    private volatile EffectiveLimits current;

    /** Those, within what the engine can carry. */
    private volatile AdmissionLimits inForce;

    RuntimeLimits(Environment environment, LimitsFile file, int cores, long machineBytes) {
        this(environment, file, cores, machineBytes, false);
    }

    /**
     * Reads the configuration and the file.
     *
     * @param elsewhere whether queries run on other machines, whose capacity will be told
     * @throws StartFailedException with the property, when one of them makes no sense
     */
    RuntimeLimits(Environment environment, LimitsFile file, int cores, long machineBytes, boolean elsewhere) {
        this.environment = environment;
        this.file = file;
        this.elsewhere = elsewhere;
        this.cores = cores;
        this.machineBytes = machineBytes;
        try {
            this.overlay = file.read();
        } catch (LimitsFile.BrokenFileException e) {
            throw new StartFailedException(String.valueOf(e.getMessage()), e);
        }
        this.atStart = bind(overlay);
        this.current = atStart;
        this.inForce = atStart.admission();
    }

    EffectiveLimits atStart() {
        return atStart;
    }

    /** Who is told of changes from now on. */
    synchronized void attach(AdmissionController controller) {
        admission = controller;
    }

    /** Rates count from now on; the gateway's own calls while it warms up are not to be refused, nor to use them up. */
    synchronized void warm() {
        warm = true;
        tell();
    }

    /**
     * What the engine can carry from now on: the limits in force stay within it. Where queries run on other machines the
     * defaults follow it, too.
     *
     * @param now of at least one slot
     * @param largest most memory that one query can have anywhere, in bytes
     */
    synchronized void within(EngineCapacity now, long largest) {
        capacity = now;
        largestQuery = largest;
        if (elsewhere) {
            cores = Math.max(1, now.slots() / EffectiveLimits.SLOTS_PER_CORE);
            machineBytes = (long) (now.memoryBytes() / EffectiveLimits.MEMORY_SHARE);
            try {
                current = bind(overlay);
            } catch (StartFailedException e) {
                // What is configured was for more; it stays, cut down to what there is.
                log.warn("The limits are more than the workers can carry: {}", e.getMessage());
            }
        }
        force(current);
    }

    @GuardedBy("this")
    private void force(EffectiveLimits next) {
        inForce = CapacityLimits.within(next.admission(), capacity, largestQuery);
        tell();
    }

    @GuardedBy("this")
    private void tell() {
        if (admission != null) {
            admission.update(warm ? inForce : inForce.withoutRates());
        }
    }

    @Override
    public AdmissionLimits admission() {
        return inForce;
    }

    @Override
    public QueryLimits clocks() {
        return current.clocks();
    }

    @Override
    public double highWater() {
        return current.highWater();
    }

    @Override
    public Map<String, Object> tree() {
        return LimitsView.of(current);
    }

    @Override
    public synchronized void change(Map<String, ?> changes, boolean persist) {
        try {
            Map<String, Object> changed = PropertyTree.merge(overlay, changes);
            EffectiveLimits next = check(changed);
            if (persist) {
                file.write(changed);
            }
            take(changed, next);
        } catch (StartFailedException | IllegalArgumentException e) {
            throw new GatewayException(GatewayErrorCode.INVALID_REQUEST, e.getMessage() + ".");
        }
    }

    /** Takes the file anew if it changed; a broken one changes nothing and is told once. Called every few seconds. */
    synchronized void poll() {
        try {
            if (file.hasChanged()) {
                Map<String, Object> read = file.read();
                take(read, check(read));
                lastFault = "";
                log.info("The limits were taken anew from {}", file.path());
            }
        } catch (LimitsFile.BrokenFileException | StartFailedException | IllegalArgumentException e) {
            String fault = String.valueOf(e.getMessage());
            if (!fault.equals(lastFault)) {
                log.warn("The limits stay as they were: {}", fault);
            }
            lastFault = fault;
        }
    }

    @GuardedBy("this")
    private void take(Map<String, Object> changed, EffectiveLimits next) {
        force(next);
        current = next;
        overlay = changed;
    }

    /** Binds, and refuses what goes beyond what the engine and the lanes were opened with at the start. */
    @GuardedBy("this")
    private EffectiveLimits check(Map<String, Object> changed) {
        EffectiveLimits next = bind(changed);
        if (!elsewhere) {
            checkOpened(next);
        }
        if (!next.clocks().describeTimeout().equals(atStart.clocks().describeTimeout())) {
            throw new StartFailedException(EffectiveLimits.PREFIX + "describe-timeout needs a restart to change");
        }
        return next;
    }

    private void checkOpened(EffectiveLimits next) {
        long most = atStart.admission().memoryBudgetBytes();
        if (next.admission().memoryBudgetBytes() > most) {
            throw new StartFailedException(EffectiveLimits.PREFIX + "memory.budget must be at most " + most
                    + "B, the engine's memory limit since the start; a larger one needs a restart");
        }
        if (next.engineThreads() > atStart.engineThreadsAtMost()) {
            throw new StartFailedException(EffectiveLimits.PREFIX + "max-running, short-lane and max-paused need "
                    + next.engineThreads() + " engine threads together, more than the "
                    + atStart.engineThreadsAtMost() + " since the start; so many need a restart");
        }
    }

    @GuardedBy("this")
    private EffectiveLimits bind(Map<String, Object> over) {
        Map<String, Object> flat = PropertyTree.flat(EffectiveLimits.PREFIX, over);
        List<ConfigurationPropertySource> sources = new ArrayList<>();
        sources.add(new MapConfigurationPropertySource(flat));
        ConfigurationPropertySources.get(environment).forEach(sources::add);
        Binder binder = new Binder(sources, new PropertySourcesPlaceholdersResolver(environment));
        WeirProperties.Admission bound;
        try {
            bound = binder.bindOrCreate(
                    "weir.admission",
                    Bindable.of(WeirProperties.Admission.class),
                    new NoUnboundElementsBindHandler(BindHandler.DEFAULT, new UnboundElementsSourceFilter()));
        } catch (RuntimeException e) {
            throw StartFailures.explain(e);
        }
        return EffectiveLimits.of(bound, cores, machineBytes);
    }
}
