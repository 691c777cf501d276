package dev.weir.gateway.flightsql;

import dev.weir.engine.IngestMode;
import dev.weir.engine.IngestTarget;
import dev.weir.gateway.query.IngestRequest;
import dev.weir.gateway.query.QueryRequest;
import io.grpc.Metadata;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.arrow.flight.sql.impl.FlightSql;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest.TableDefinitionOptions.TableExistsOption;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest.TableDefinitionOptions.TableNotExistOption;
import org.jspecify.annotations.Nullable;

/** What a CommandStatementIngest asks for. */
final class IngestCommand {

    /** Names the ingest that several uploads are parts of. */
    static final String ID = "weir.ingest.id";
    /** How many parts it has. */
    static final String PARTS = "weir.ingest.parts";
    /** Which one this is, from 0. */
    static final String PART = "weir.ingest.part";

    private static final Set<String> OPTIONS = Set.of(ID, PARTS, PART);

    private IngestCommand() {}

    /**
     * @param query limits and settings of its caller
     * @param headers options given as headers
     */
    static IngestRequest request(
            FlightSql.CommandStatementIngest command, QueryRequest query, Map<String, String> headers) {
        return new IngestRequest(query, target(command), mode(command), part(command, headers));
    }

    private static IngestTarget target(FlightSql.CommandStatementIngest command) {
        return new IngestTarget(
                command.hasCatalog() ? command.getCatalog() : null,
                command.hasSchema() ? command.getSchema() : null,
                command.getTable(),
                command.getTemporary());
    }

    private static IngestMode mode(FlightSql.CommandStatementIngest command) {
        TableNotExistOption absent = command.getTableDefinitionOptions().getIfNotExist();
        TableExistsOption present = command.getTableDefinitionOptions().getIfExists();
        boolean create = absent == TableNotExistOption.TABLE_NOT_EXIST_OPTION_CREATE;
        if (!create && absent != TableNotExistOption.TABLE_NOT_EXIST_OPTION_FAIL) {
            throw unknownMode();
        }
        return switch (present) {
            case TABLE_EXISTS_OPTION_FAIL -> {
                if (!create) {
                    throw unknownMode();
                }
                yield IngestMode.CREATE;
            }
            case TABLE_EXISTS_OPTION_APPEND -> create ? IngestMode.CREATE_APPEND : IngestMode.APPEND;
            case TABLE_EXISTS_OPTION_REPLACE -> {
                if (!create) {
                    throw unknownMode();
                }
                yield IngestMode.REPLACE;
            }
            default -> throw unknownMode();
        };
    }

    private static RuntimeException unknownMode() {
        return FlightErrors.invalidRequest("The table definition options of an ingest must be one of these: create"
                + " (if_not_exist CREATE, if_exists FAIL), append (FAIL, APPEND), replace (CREATE, REPLACE) or"
                + " create_append (CREATE, APPEND).");
    }

    /** Options given as headers, for clients that cannot give others: {@code weir-ingest-id} and so on. */
    static Map<String, String> options(Metadata headers) {
        Map<String, String> options = new HashMap<>();
        for (String name : OPTIONS) {
            String value = headers.get(Metadata.Key.of(name.replace('.', '-'), Metadata.ASCII_STRING_MARSHALLER));
            if (value != null) {
                options.put(name, value);
            }
        }
        return options;
    }

    /** @param headers options given as headers; the command's own come first */
    private static IngestRequest.@Nullable Part part(
            FlightSql.CommandStatementIngest command, Map<String, String> headers) {
        Map<String, String> options = new HashMap<>(headers);
        options.putAll(command.getOptionsMap());
        Set<String> unknown = new TreeSet<>(options.keySet());
        unknown.removeAll(OPTIONS);
        unknown.removeIf(name -> !name.startsWith("weir."));
        if (!unknown.isEmpty()) {
            throw FlightErrors.invalidRequest(
                    "The options of an ingest that start with weir. are " + ID + ", " + PARTS + " and " + PART + ".");
        }
        String id = options.get(ID);
        if (id == null) {
            if (options.containsKey(PARTS) || options.containsKey(PART)) {
                throw FlightErrors.invalidRequest("An ingest in parts needs the option " + ID + ".");
            }
            return null;
        }
        return new IngestRequest.Part(id, number(PARTS, options.get(PARTS)), number(PART, options.get(PART)));
    }

    private static int number(String name, @Nullable String text) {
        try {
            if (text != null) {
                return Integer.parseInt(text.strip());
            }
        } catch (NumberFormatException e) {
            // Told below.
        }
        throw FlightErrors.invalidRequest("The option " + name + " of an ingest in parts must be a whole number.");
    }
}
