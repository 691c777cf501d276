package dev.weir.bench;

import com.google.protobuf.Any;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.PutResult;
import org.apache.arrow.flight.SyncPutListener;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest.TableDefinitionOptions;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest.TableDefinitionOptions.TableExistsOption;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest.TableDefinitionOptions.TableNotExistOption;
import org.apache.arrow.flight.sql.impl.FlightSql.DoPutUpdateResult;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowReader;

/** Rows a second into a new table: in process, through a bare Flight server, and through the gateway, in turns. */
final class IngestRates {

    private IngestRates() {}

    /** One way of loading; gives the rows that were loaded. */
    private interface Way {
        long load(ArrowReader rows) throws Exception;
    }

    static void run(Bench.Target target, Path source, Path work, long rows, int rounds) throws Exception {
        Bench.print("lineitem, " + rows + " rows", "rows/batch", "M rows/s", "to bare");
        for (int batchRows : new int[] {122_880, 50_000}) {
            try (BufferAllocator allocator = new RootAllocator();
                    Lineitem lineitem = Lineitem.load(source, batchRows, allocator);
                    Clients.Flight gateway = Clients.flight(target, target.flightPort());
                    Clients.Flight bare = Clients.flight(target, target.barePort())) {
                Path file = work.resolve("in-process-" + batchRows + ".duckdb");
                BareIngest own = BareIngest.open(file);
                List<Way> ways = List.of(
                        reader -> own.load(reader, allocator),
                        reader -> put(bare, FlightDescriptor.path("uploaded"), reader),
                        reader -> put(gateway, FlightDescriptor.command(command()), reader));
                report(batchRows, measure(ways, lineitem, rows, rounds));
                own.close();
                Files.deleteIfExists(file);
            }
        }
    }

    private static double[] measure(List<Way> ways, Lineitem lineitem, long rows, int rounds) throws Exception {
        List<List<Double>> rates = new ArrayList<>();
        ways.forEach(way -> rates.add(new ArrayList<>()));
        // The first two rounds warm up.
        for (int round = -2; round < rounds; round++) {
            for (int i = 0; i < ways.size(); i++) {
                long start = System.nanoTime();
                long loaded;
                try (ArrowReader reader = lineitem.stream(rows)) {
                    loaded = ways.get(i).load(reader);
                }
                double seconds = (System.nanoTime() - start) / 1e9;
                if (loaded < rows) {
                    throw new IllegalStateException(loaded + " rows of " + rows);
                }
                if (round >= 0) {
                    rates.get(i).add(loaded / seconds / 1e6);
                }
            }
        }
        double[] medians = new double[ways.size()];
        for (int i = 0; i < medians.length; i++) {
            Collections.sort(rates.get(i));
            medians[i] = rates.get(i).get(rates.get(i).size() / 2);
        }
        return medians;
    }

    private static void report(int batchRows, double[] rates) {
        String[] names = {"in process", "bare DoPut", "gateway"};
        for (int i = 0; i < names.length; i++) {
            Bench.print(names[i], batchRows, rates[i], rates[i] / rates[1]);
        }
    }

    private static byte[] command() {
        return Any.pack(CommandStatementIngest.newBuilder()
                        .setTable("uploaded")
                        .setTableDefinitionOptions(TableDefinitionOptions.newBuilder()
                                .setIfNotExist(TableNotExistOption.TABLE_NOT_EXIST_OPTION_CREATE)
                                .setIfExists(TableExistsOption.TABLE_EXISTS_OPTION_REPLACE))
                        .build())
                .toByteArray();
    }

    private static long put(Clients.Flight flight, FlightDescriptor descriptor, ArrowReader rows) throws Exception {
        SyncPutListener answer = new SyncPutListener();
        FlightClient.ClientStreamListener upload =
                flight.client().startPut(descriptor, rows.getVectorSchemaRoot(), answer, flight.credentials());
        while (rows.loadNextBatch()) {
            while (!upload.isReady()) {
                Thread.onSpinWait();
                Thread.sleep(0, 100_000);
            }
            upload.putNext();
        }
        upload.completed();
        try (PutResult result = answer.read()) {
            upload.getResult();
            var metadata = result.getApplicationMetadata();
            if (descriptor.isCommand()) {
                byte[] bytes = new byte[(int) metadata.readableBytes()];
                metadata.getBytes(0, bytes);
                return DoPutUpdateResult.parseFrom(bytes).getRecordCount();
            }
            return metadata.getLong(0);
        }
    }
}
