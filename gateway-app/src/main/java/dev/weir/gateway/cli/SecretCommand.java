package dev.weir.gateway.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weir secret}: makes the secret that gateways and workers share. */
@Command(
        name = "secret",
        description = "Make the secret that gateways and workers share.",
        mixinStandardHelpOptions = true,
        versionProvider = WeirVersion.class,
        footer = {
            "",
            "The file, of 32 random bytes in base64, is for its owner alone. Every gateway and worker gets a",
            "copy and is told where it is: --weir.cluster.secret-file=FILE. A file that exists is left alone:",
            "another secret needs a restart of all."
        })
final class SecretCommand implements Callable<Integer> {

    private static final int BYTES = 32;

    private final CliContext context;

    @Option(names = "--out", required = true, paramLabel = "FILE", description = "The file to make.")
    @SuppressWarnings("NullAway.Init") // required
    private Path out;

    @Mixin
    private Verbosity verbosity = new Verbosity();

    SecretCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        byte[] secret = new byte[BYTES];
        new SecureRandom().nextBytes(secret);
        try {
            write(Base64.getEncoder().encodeToString(secret) + "\n");
        } catch (FileAlreadyExistsException e) {
            throw CommandFailure.failure(out + " exists and is left as it is", e);
        } catch (NoSuchFileException e) {
            throw CommandFailure.failure("the directory of " + out + " does not exist", e);
        } catch (AccessDeniedException e) {
            throw CommandFailure.failure(out + " cannot be made: permission denied", e);
        } catch (IOException e) {
            throw CommandFailure.failure(out + " cannot be made: " + e.getMessage(), e);
        }
        context.err().println("Made " + out + "; give every gateway and worker a copy (weir.cluster.secret-file)");
        return ExitCode.OK;
    }

    /** Private from its first moment, and never over a secret that is in use. */
    private void write(String line) throws IOException {
        FileAttribute<?>[] mode =
                FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
                        ? new FileAttribute<?>[] {
                            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                        }
                        : new FileAttribute<?>[0];
        try (FileChannel file =
                FileChannel.open(out, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), mode)) {
            try {
                ByteBuffer rest = ByteBuffer.wrap(line.getBytes(StandardCharsets.US_ASCII));
                while (rest.hasRemaining()) {
                    file.write(rest);
                }
                file.force(true);
            } catch (IOException e) {
                Files.deleteIfExists(out);
                throw e;
            }
        }
    }
}
