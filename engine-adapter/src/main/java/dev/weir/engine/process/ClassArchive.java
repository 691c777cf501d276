package dev.weir.engine.process;

import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.QueryEngine;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The JVM's archive of the classes that a child loads (class data sharing): it saves a fifth of each start. Made by
 * one child at the first start of a version; without it everything works, only slower.
 */
final class ClassArchive {

    private static final Logger log = LoggerFactory.getLogger(ClassArchive.class);

    private static final int SECONDS = 30;

    private ClassArchive() {}

    static void makeOnce(ChildLauncher.Plan plan, ChildRequest request, ScheduledExecutorService timers) {
        Path archive = plan.home().archive();
        if (Files.exists(archive) || !isPossible(plan.home())) {
            return;
        }
        Path unfinished =
                archive.resolveSibling("classes-" + ProcessHandle.current().pid() + ".tmp");
        try (ChildLauncher launcher = new ChildLauncher(plan.archiving(unfinished), MemoryFence.none("none"), timers)) {
            Child child = await(launcher.start(request));
            use(child.engine());
            child.stop();
            await(child.exited());
            if (Files.exists(unfinished)) {
                Files.move(unfinished, archive, StandardCopyOption.ATOMIC_MOVE);
            }
        } catch (ChildStartException e) {
            // The start that follows fails for the same reason, and tells it.
            log.debug("No archive of classes was made", e);
        } catch (IOException | RuntimeException e) {
            log.info("No archive of classes could be made ({}); processes start without it", e.toString());
        }
    }

    /** The JVM archives classes from jars only. */
    private static boolean isPossible(ChildHome home) {
        return Stream.of(home.classPath().split(File.pathSeparator)).allMatch(entry -> entry.endsWith(".jar"));
    }

    /** Loads what a query needs. */
    private static void use(QueryEngine engine) {
        ArrowResult result = await(engine.execute(EngineQuery.read("archive", "select 1 as a, 'x' as b"))
                .result());
        try (result) {
            while (await(result.next())) {
                log.trace("A batch of the query whose classes are archived");
            }
        }
        await(result.stopped().thenApply(nothing -> true));
    }

    private static <T> T await(CompletionStage<T> stage) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        return ChildEngine.await(future, SECONDS);
    }
}
