package dev.weir.gateway.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The version that the build wrote into the jar. */
final class WeirVersion implements IVersionProvider {

    @Override
    public String[] getVersion() {
        return new String[] {"weir " + number() + " (Java " + Runtime.version() + ")"};
    }

    static String number() {
        Properties build = new Properties();
        try (InputStream in = WeirVersion.class.getResourceAsStream("/META-INF/build-info.properties")) {
            if (in != null) {
                build.load(in);
            }
        } catch (IOException e) {
            // The version is not worth failing for.
        }
        return build.getProperty("build.version", "unknown");
    }
}
