package dev.weir.engine.process;

import dev.weir.engine.QueryEngine;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;

/** Skips, with its reason, what only some systems can do. */
final class AddressSpaceCheck {

    private AddressSpaceCheck() {}

    static void assumeLinux() {
        Assumptions.assumeTrue(AddressSpace.isLinux(), "needs Linux's /proc");
    }

    static void assumeLimited(QueryEngine engine) {
        Assumptions.assumeTrue(
                engine.nodes().stream()
                        .allMatch(node -> Set.of("cgroup", "address-space").contains(node.limit())),
                "needs a memory limit of the operating system");
    }
}
