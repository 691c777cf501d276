package dev.weir.auth.tls;

import java.security.cert.X509Certificate;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import org.jspecify.annotations.Nullable;

/** What a verified client certificate says of its holder. */
public final class ClientCertificates {

    private ClientCertificates() {}

    /** The subject's common name, the most specific if there are several, or null when there is none. */
    public static @Nullable String commonName(X509Certificate certificate) {
        try {
            String found = null;
            for (Rdn rdn : new LdapName(certificate.getSubjectX500Principal().getName()).getRdns()) {
                if (rdn.getType().equalsIgnoreCase("CN") && rdn.getValue() instanceof String value) {
                    found = value;
                }
            }
            return found;
        } catch (InvalidNameException e) {
            return null;
        }
    }
}
