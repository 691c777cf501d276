package dev.weir.auth.tls;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Shows the key and certificate in force, which can be replaced at any time. Thread-safe.
 *
 * <p>A handshake chooses an alias first and asks for its key and chain later: the alias names one pair, and the pair
 * before stays for handshakes that are under way, so that key and chain always belong together.
 */
final class ReloadingKeyManager extends X509ExtendedKeyManager {

    private volatile Pairs pairs;

    /** The pair in force and the one before. */
    private record Pairs(
            long number, CertifiedKey current, @Nullable CertifiedKey previous) {

        String alias() {
            return alias(number);
        }

        @Nullable
        CertifiedKey named(@Nullable String alias) {
            if (alias(number).equals(alias)) {
                return current;
            }
            return alias(number - 1).equals(alias) ? previous : null;
        }

        private static String alias(long number) {
            return "weir-" + number;
        }
    }

    ReloadingKeyManager(CertifiedKey first) {
        this.pairs = new Pairs(1, first, null);
    }

    synchronized void replace(CertifiedKey next) {
        pairs = new Pairs(pairs.number + 1, next, pairs.current);
    }

    CertifiedKey current() {
        return pairs.current;
    }

    @Override
    public @Nullable String chooseEngineServerAlias(
            String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return choose(keyType);
    }

    @Override
    public @Nullable String chooseServerAlias(String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return choose(keyType);
    }

    @Override
    public @Nullable String chooseEngineClientAlias(
            String[] keyTypes, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return choose(keyTypes);
    }

    @Override
    public @Nullable String chooseClientAlias(
            String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return choose(keyTypes);
    }

    @Override
    public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
        String alias = choose(keyType);
        return alias == null ? null : new String[] {alias};
    }

    @Override
    public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
        return getServerAliases(keyType, issuers);
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(@Nullable String alias) {
        CertifiedKey pair = pairs.named(alias);
        return pair == null ? null : pair.chain().toArray(new X509Certificate[0]);
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(@Nullable String alias) {
        CertifiedKey pair = pairs.named(alias);
        return pair == null ? null : pair.key();
    }

    private @Nullable String choose(String... keyTypes) {
        Pairs now = pairs;
        return Arrays.asList(keyTypes).contains(now.current.key().getAlgorithm()) ? now.alias() : null;
    }
}
