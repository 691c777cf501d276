package dev.weir.gateway.config;

import dev.weir.auth.tls.TlsMaterial;
import java.security.KeyStore;
import java.security.Provider;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.KeyManagerFactorySpi;
import javax.net.ssl.ManagerFactoryParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.TrustManagerFactorySpi;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.ssl.SslBundleRegistrar;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleKey;
import org.springframework.boot.ssl.SslManagerBundle;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * TLS of the HTTP servers: a bundle around the reloading key manager, so that a renewed certificate is served without a
 * restart, on this front as on the other.
 */
@Configuration(proxyBeanMethods = false)
class ServerConfiguration {

    /** A provider without services: the factories below are made by hand. */
    private static final Provider NO_PROVIDER = new Provider("weir", "1", "Weir key material") {
        private static final long serialVersionUID = 1L;
    };

    @Bean
    SslBundleRegistrar sslBundleRegistrar(ObjectProvider<TlsMaterial> material) {
        return registry -> {
            TlsMaterial tls = material.getIfAvailable();
            if (tls != null) {
                registry.registerBundle(GatewayEnvironment.SSL_BUNDLE, bundle(tls));
            }
        };
    }

    private static SslBundle bundle(TlsMaterial tls) {
        SslManagerBundle managers =
                SslManagerBundle.of(new KeyManagers(tls.keyManager()), new TrustManagers(tls.clientTrustManager()));
        SslOptions options = SslOptions.of(null, tls.protocols().toArray(String[]::new));
        return SslBundle.of(SslStoreBundle.NONE, SslBundleKey.NONE, options, "TLS", managers);
    }

    private static final class KeyManagers extends KeyManagerFactory {

        KeyManagers(X509ExtendedKeyManager manager) {
            super(
                    new KeyManagerFactorySpi() {
                        @Override
                        protected void engineInit(@Nullable KeyStore store, char @Nullable [] password) {}

                        @Override
                        protected void engineInit(ManagerFactoryParameters parameters) {}

                        @Override
                        protected KeyManager[] engineGetKeyManagers() {
                            return new KeyManager[] {manager};
                        }
                    },
                    NO_PROVIDER,
                    "weir");
        }
    }

    private static final class TrustManagers extends TrustManagerFactory {

        TrustManagers(@Nullable TrustManager manager) {
            super(
                    new TrustManagerFactorySpi() {
                        @Override
                        protected void engineInit(@Nullable KeyStore store) {}

                        @Override
                        protected void engineInit(ManagerFactoryParameters parameters) {}

                        @Override
                        protected TrustManager[] engineGetTrustManagers() {
                            return new TrustManager[] {manager == null ? new NobodyTrusted() : manager};
                        }
                    },
                    NO_PROVIDER,
                    "weir");
        }
    }

    /** Without authorities for client certificates none is asked for; Netty's OpenSSL wants a manager all the same. */
    private static final class NobodyTrusted implements X509TrustManager {

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
            throw new CertificateException("client certificates are not accepted");
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
            throw new CertificateException("this is a server");
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
