package dev.weir.engine.process;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * What children run from: a class path of plain jars, and DuckDB's native library lying as a file. The driver would else
 * unpack that library (70 MB) in every child: more than half a second of each start, and memory that children would not
 * share. Made once for each version of this program.
 *
 * @param classPath in the platform's notation
 * @param libraries for {@code java.library.path}
 * @param logging Logback's configuration
 * @param archive where the JVM's archive of loaded classes is, once {@link ClassArchive} has made it
 */
record ChildHome(String classPath, Path libraries, Path logging, Path archive) {

    private static final String NESTED = "BOOT-INF/lib/";

    private static final String NATIVE = "libduckdb_java.so_";

    /** Large, and nothing that a child needs. A library that is missing here is copied for nothing, no more. */
    private static final List<String> NOT_NEEDED = List.of(
            "arrow-compression",
            "bcp",
            "bcutil",
            "commons-",
            "flight-",
            "hibernate-",
            "jackson-core-3",
            "jackson-databind-3",
            "micrometer-",
            "netty-codec-classes-quic",
            "netty-codec-http3",
            "netty-codec-native-quic",
            "netty-tcnative",
            "nimbus-",
            "picocli-",
            "prometheus-",
            "proto-google-",
            "reactor-",
            "snakeyaml",
            "spring-",
            "tomcat-",
            "tpch-",
            "weir-admission",
            "weir-auth",
            "zstd-jni");

    private static final String LOGGING = """
            <configuration>
              <appender name="console" class="ch.qos.logback.core.ConsoleAppender">
                <target>System.err</target>
                <encoder><pattern>%-5level %logger{20} - %msg%n%ex{5}</pattern></encoder>
              </appender>
              <root level="warn"><appender-ref ref="console"/></root>
            </configuration>
            """;

    /**
     * Finds or makes it.
     *
     * @param base directory to make it in
     */
    static ChildHome prepare(Path base) throws IOException {
        List<Path> entries = Stream.of(System.getProperty("java.class.path", "").split(File.pathSeparator))
                .filter(entry -> !entry.isEmpty())
                .map(entry -> Path.of(entry).toAbsolutePath().normalize())
                .filter(Files::exists)
                .toList();
        return prepare(base, entries);
    }

    /** @param entries the class path of this process: jars and directories, or one executable jar with jars in it */
    static ChildHome prepare(Path base, List<Path> entries) throws IOException {
        Files.createDirectories(base);
        Path home =
                base.resolve("lib-" + UUID.nameUUIDFromBytes(versions(entries).getBytes(StandardCharsets.UTF_8)));
        if (!Files.isDirectory(home)) {
            make(base, home, entries);
        }
        return new ChildHome(classPath(home, entries), home, home.resolve("logback.xml"), home.resolve("classes.jsa"));
    }

    private static void make(Path base, Path home, List<Path> entries) throws IOException {
        Path unfinished = Files.createTempDirectory(base, ".lib-");
        try {
            for (Path entry : entries) {
                if (isBootJar(entry)) {
                    unpack(entry, unfinished);
                } else if (isDuckDb(entry)) {
                    split(entry, unfinished);
                }
            }
            Files.writeString(unfinished.resolve("logback.xml"), LOGGING);
            Files.move(unfinished, home, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileAlreadyExistsException | java.nio.file.DirectoryNotEmptyException e) {
            // Another gateway was faster.
            Directories.remove(unfinished);
        } catch (IOException e) {
            Directories.remove(unfinished);
            throw e;
        }
        removeOthers(base, home);
    }

    /** Of earlier versions. */
    private static void removeOthers(Path base, Path home) throws IOException {
        for (Path other : Directories.list(base)) {
            if (other.getFileName().toString().startsWith("lib-") && !other.equals(home)) {
                Directories.remove(other);
            }
        }
    }

    private static String versions(List<Path> entries) throws IOException {
        StringBuilder text = new StringBuilder(System.getProperty("os.arch", ""));
        for (Path entry : entries) {
            text.append('\n').append(entry);
            if (Files.isRegularFile(entry)) {
                text.append(' ').append(Files.size(entry)).append(' ').append(Files.getLastModifiedTime(entry));
            }
        }
        return text.toString();
    }

    private static String classPath(Path home, List<Path> entries) throws IOException {
        List<Path> plain = new ArrayList<>();
        for (Path entry : entries) {
            if (!isBootJar(entry) && !isDuckDb(entry)) {
                plain.add(entry);
            }
        }
        for (Path own : Directories.list(home).stream().sorted().toList()) {
            if (own.toString().endsWith(".jar")) {
                plain.add(own);
            }
        }
        return plain.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    private static boolean isBootJar(Path entry) throws IOException {
        if (!entry.toString().endsWith(".jar") || !Files.isRegularFile(entry)) {
            return false;
        }
        try (JarFile jar = new JarFile(entry.toFile())) {
            return jar.getEntry(NESTED) != null;
        }
    }

    private static boolean isDuckDb(Path entry) {
        return isDuckDb(entry.getFileName().toString());
    }

    private static boolean isDuckDb(String name) {
        return name.startsWith("duckdb_jdbc") && name.endsWith(".jar");
    }

    private static void unpack(Path bootJar, Path target) throws IOException {
        try (ZipFile jar = new ZipFile(bootJar.toFile())) {
            for (ZipEntry entry : jar.stream().toList()) {
                String name = entry.getName().substring(entry.getName().lastIndexOf('/') + 1);
                boolean needed = entry.getName().startsWith(NESTED)
                        && name.endsWith(".jar")
                        && NOT_NEEDED.stream().noneMatch(name::startsWith);
                if (!needed) {
                    continue;
                }
                Path copy = target.resolve(name);
                try (InputStream in = jar.getInputStream(entry)) {
                    Files.copy(in, copy);
                }
                if (isDuckDb(name)) {
                    split(copy, target);
                }
            }
        }
    }

    /** Takes the native libraries out of the driver's jar, and the one for this machine beside it. */
    private static void split(Path driver, Path target) throws IOException {
        String ours = NATIVE + system() + "_" + architecture();
        Path rest = target.resolve("driver.tmp");
        try (ZipFile jar = new ZipFile(driver.toFile())) {
            if (jar.getEntry(ours) == null) {
                // The driver knows better how to find it.
                copyOnce(driver, target.resolve(driver.getFileName().toString()));
                return;
            }
            try (InputStream in = jar.getInputStream(jar.getEntry(ours))) {
                Files.copy(in, target.resolve(System.mapLibraryName("duckdb_java")));
            }
            copyWithoutNatives(jar, rest);
        }
        Files.move(rest, target.resolve(driver.getFileName().toString()), StandardCopyOption.REPLACE_EXISTING);
    }

    private static void copyOnce(Path from, Path to) throws IOException {
        if (!from.equals(to)) {
            Files.copy(from, to);
        }
    }

    private static void copyWithoutNatives(ZipFile jar, Path to) throws IOException {
        try (OutputStream file = Files.newOutputStream(to);
                ZipOutputStream out = new ZipOutputStream(file)) {
            Enumeration<? extends ZipEntry> entries = jar.entries();
            while (entries.hasMoreElements()) {
                ZipEntry entry = entries.nextElement();
                if (entry.getName().startsWith(NATIVE)) {
                    continue;
                }
                out.putNextEntry(new ZipEntry(entry.getName()));
                try (InputStream in = jar.getInputStream(entry)) {
                    in.transferTo(out);
                }
                out.closeEntry();
            }
        }
    }

    /** As the driver names it. */
    private static String system() {
        String name = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        return name.startsWith("windows") ? "windows" : name.startsWith("mac") ? "macos" : "linux";
    }

    /** As the driver names it. */
    private static String architecture() {
        String name = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
        return name.equals("x86_64") || name.equals("amd64") ? "amd64" : name.equals("aarch64") ? "arm64" : name;
    }
}
