package dev.weir.engine.worker;

import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineIngest;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.QueryContext;
import dev.weir.engine.QueryEngine;
import dev.weir.engine.StatementDescription;
import dev.weir.engine.StatementRunner;
import dev.weir.engine.wire.Command;
import dev.weir.engine.wire.Control;
import dev.weir.engine.wire.Frame;
import dev.weir.engine.wire.Json;
import dev.weir.engine.wire.Reply;
import dev.weir.engine.wire.Schemas;
import dev.weir.engine.wire.Wire;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes calls: lets in whoever knows the secret, and gives each command its session. */
final class WorkerCalls implements ServerCallHandler<Frame, Frame> {

    private static final Logger log = LoggerFactory.getLogger(WorkerCalls.class);

    /** The next batch is copied to the transport when less than this waits there, so that it does not run dry. */
    private static final int READY_BYTES = 1 << 20;

    private final QueryEngine engine;
    private final WorkerSettings settings;
    private final Runs runs;
    private final byte[] bearer;
    private volatile BiConsumer<EngineQuery, EngineCall<ArrowResult>> watch = (query, call) -> {};
    private final String instance = UUID.randomUUID().toString();

    WorkerCalls(QueryEngine engine, WorkerSettings settings, Runs runs) {
        this.engine = engine;
        this.settings = settings;
        this.runs = runs;
        this.bearer = Wire.bearer(settings.secret()).getBytes(StandardCharsets.US_ASCII);
    }

    void watch(BiConsumer<EngineQuery, EngineCall<ArrowResult>> watcher) {
        watch = watcher;
    }

    @Override
    public ServerCall.Listener<Frame> startCall(ServerCall<Frame, Frame> call, Metadata headers) {
        String given = headers.get(Wire.AUTHORIZATION);
        if (given == null || !MessageDigest.isEqual(given.getBytes(StandardCharsets.US_ASCII), bearer)) {
            call.close(Status.UNAUTHENTICATED.withDescription("The secret is wrong"), new Metadata());
            return new ServerCall.Listener<>() {};
        }
        call.sendHeaders(new Metadata());
        call.setOnReadyThreshold(READY_BYTES);
        call.request(1);
        return new Listener(call);
    }

    /** One call, first without and then with a session. gRPC calls one method at a time. */
    private final class Listener extends ServerCall.Listener<Frame> {

        private final ServerCall<Frame, Frame> call;
        private final Peer peer;
        private @Nullable Session session;

        Listener(ServerCall<Frame, Frame> call) {
            this.call = call;
            this.peer = new Peer(call);
        }

        @Override
        public void onMessage(Frame frame) {
            try {
                byte[] command = frame.command();
                byte[] control = frame.control();
                if (session == null && command != null) {
                    session = open(peer, command, frame.header());
                } else if (session != null && control != null) {
                    heard(session, Json.read(control, Control.class), frame);
                }
            } catch (IOException | RuntimeException e) {
                log.warn(
                        "A message of a gateway cannot be read: {}",
                        e.getClass().getSimpleName());
                if (session != null) {
                    session.broken(peer);
                }
                call.close(Status.INVALID_ARGUMENT.withDescription("The message cannot be read"), new Metadata());
            } finally {
                frame.close();
            }
            call.request(1);
        }

        private void heard(Session by, Control control, Frame frame) {
            Integer part = control.part();
            if (part != null) {
                by.uploaded(peer, part, frame);
            }
            by.heard(peer, control);
        }

        @Override
        public void onReady() {
            if (session != null) {
                session.ready(peer);
            }
        }

        @Override
        public void onCancel() {
            if (session != null) {
                session.broken(peer);
            }
        }
    }

    /** The session of a command; null when it was answered at once. */
    private @Nullable Session open(Peer peer, byte[] json, byte @Nullable [] header) throws IOException {
        Command.Envelope envelope = Json.read(json, Command.Envelope.class);
        if (envelope.protocol() != Wire.PROTOCOL) {
            peer.fail(Failures.protocol(Wire.PROTOCOL, envelope.protocol()));
            return null;
        }
        try {
            Command command = envelope.open();
            return command instanceof Command.Load load ? load(peer, load, header) : open(peer, command);
        } catch (EngineException e) {
            peer.fail(e);
        } catch (IOException | RuntimeException e) {
            // The exception's message may hold parts of a statement.
            log.warn("A command of a gateway cannot be read: {}", e.getClass().getSimpleName());
            peer.fail(Failures.malformed());
        }
        return null;
    }

    private @Nullable Session open(Peer peer, Command command) {
        if (command instanceof Command.Run run) {
            EngineQuery query = run.query().toQuery();
            StatementRunner runner = runner(run.query().session());
            RunSession session =
                    runs.query(run.token(), query.queryId(), query.context().memoryBytes());
            log.debug(
                    "{}: run for {}, trace {}",
                    query.queryId(),
                    query.context().user(),
                    query.context().traceParent());
            session.begin(
                    peer,
                    null,
                    () -> {
                        EngineCall<ArrowResult> call = runner.execute(query);
                        watch.accept(query, call);
                        return call;
                    },
                    query.context().timeLeft());
            return session;
        }
        if (command instanceof Command.Metadata metadata) {
            RunSession session = runs.metadata(metadata.token());
            session.begin(peer, null, () -> catalog(metadata), null);
            return session;
        }
        if (command instanceof Command.Resume resume) {
            RunSession session = runs.find(resume.token());
            if (session == null) {
                throw Failures.unknown();
            }
            session.resume(peer, resume.nextSeq(), resume.schema(), resume.cancel());
            return session;
        }
        if (command instanceof Command.Hold hold) {
            HeldSession session = new HeldSession(runs, peer, hold.token(), engine.openSession(hold.access()));
            session.begin();
            return session;
        }
        return ask(peer, command);
    }

    /** @param header the schema message of what will be uploaded */
    private Session load(Peer peer, Command.Load load, byte @Nullable [] header) {
        if (header == null) {
            throw Failures.malformed();
        }
        EngineIngest ingest = load.ingest().toIngest(Schemas.read(header));
        StatementRunner runner = runner(load.ingest().session());
        QueryContext context = ingest.context();
        RunSession session = runs.query(load.token(), ingest.queryId(), context.memoryBytes());
        WireFeed feed = new WireFeed(runs.uploads(), session::tell);
        session.begin(
                peer,
                feed,
                () -> {
                    EngineCall<ArrowResult> call = runner.ingest(ingest, feed);
                    EngineQuery query = new EngineQuery(
                            ingest.queryId(),
                            "",
                            ingest.access(),
                            ingest.settings(),
                            List.of(),
                            EngineQuery.DEFAULT_BATCH_ROWS,
                            context);
                    watch.accept(query, call);
                    return call;
                },
                context.timeLeft());
        return session;
    }

    private EngineCall<ArrowResult> catalog(Command.Metadata asked) {
        String session = asked.session();
        EngineCall<ArrowResult> inside =
                session == null ? null : runs.session(session).metadata(asked.request());
        return inside == null ? engine.metadata(asked.request()) : inside;
    }

    /** What runs a statement: the session that it names, or the engine. */
    private StatementRunner runner(@Nullable String session) {
        return session == null ? engine : runs.session(session);
    }

    private @Nullable Session ask(Peer peer, Command command) {
        if (command instanceof Command.Describe describe) {
            EngineQuery query = describe.query().toQuery();
            StatementRunner runner = runner(describe.query().session());
            AskSession<StatementDescription> session = new AskSession<>(runs, peer);
            session.begin(() -> runner.describe(query), WorkerCalls::described);
            return session;
        }
        if (command instanceof Command.Check) {
            AskSession<Void> session = new AskSession<>(runs, peer);
            session.begin(engine::check, nothing -> Frame.of(new Reply.Checked()));
            return session;
        }
        if (command instanceof Command.Memory) {
            engine.memory().whenComplete((held, never) -> {
                peer.send(Frame.of(new Reply.Memory(held)));
                peer.finish();
            });
            return null;
        }
        peer.send(Frame.of(report()));
        peer.finish();
        return null;
    }

    private static Frame described(@Nullable StatementDescription description) {
        if (description == null) {
            throw new IllegalStateException("No description");
        }
        return Frame.of(
                new Reply.Described(Schemas.write(description.parameters())), Schemas.write(description.schema()));
    }

    private Reply.Report report() {
        return new Reply.Report(
                settings.name(),
                engine.info(),
                instance,
                settings.slots(),
                runs.running(),
                settings.memoryBytes(),
                runs.reserved(),
                settings.limit(),
                runs.isDraining());
    }
}
