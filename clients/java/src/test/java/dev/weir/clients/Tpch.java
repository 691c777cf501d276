package dev.weir.clients;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** The 22 queries, which lie beside this module for the Python tests as well. */
final class Tpch {

    private static final Path DIRECTORY = Path.of("..", "tpch");

    private Tpch() {}

    static List<Integer> numbers() {
        return IntStream.rangeClosed(1, 22).boxed().toList();
    }

    static String sql(int number) throws IOException {
        return Files.readString(DIRECTORY.resolve(String.format("q%02d.sql", number)));
    }
}
