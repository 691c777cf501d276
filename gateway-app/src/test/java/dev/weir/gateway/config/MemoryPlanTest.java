package dev.weir.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MemoryPlanTest {

    private static final long MB = 1L << 20;

    @Test
    void theLineAddsUp() {
        assertThat(plan(4096, 2458, 0, 10_240, 50_000).summary())
                .isEqualTo("4096MB: heap 819MB, network buffers 409MB, queries 2458MB (weir.admission.memory.budget),"
                        + " rest 409MB; temporary files 10240MB (weir.engine.duckdb.max-temp-size), free on their disk"
                        + " 50000MB");
        assertThat(plan(4096, 2000, 256, 10_240, -1).summary())
                .contains("heap of the child process 256MB, rest 611MB")
                .doesNotContain("free on");
    }

    @Test
    void whatIsNotThereIsTold() {
        assertThat(plan(4096, 2458, 0, 10_240, 50_000).warning()).isEmpty();
        assertThat(plan(4096, 2800, 0, 10_240, 50_000).warning().orElseThrow())
                .contains("67MB of 4096MB")
                .contains("weir.admission.memory.budget");
        assertThat(plan(4096, 2458, 256, 10_240, 50_000).warning()).isPresent();
        assertThat(plan(4096, 2458, 0, 10_240, 9_000).warning().orElseThrow())
                .contains("weir.engine.duckdb.max-temp-size is 10240MB")
                .contains("9000MB");
        assertThat(plan(4096, 2458, 0, 10_240, -1).warning()).isEmpty();
    }

    private static MemoryPlan plan(long all, long queries, long children, long temp, long freeDisk) {
        return new MemoryPlan(
                all * MB,
                all * MB / 5,
                all * MB / 10,
                queries * MB,
                children * MB,
                temp * MB,
                freeDisk < 0 ? -1 : freeDisk * MB);
    }
}
