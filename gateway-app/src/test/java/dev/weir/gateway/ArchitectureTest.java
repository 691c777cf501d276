package dev.weir.gateway;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.weir.engine.EncodedBatch;
import dev.weir.engine.EngineException;

/** The arrows of docs/architecture.md. */
@AnalyzeClasses(
        packages = "dev.weir",
        importOptions = {ImportOption.DoNotIncludeTests.class, ArchitectureTest.WithoutTestJars.class})
class ArchitectureTest {

    /** Other modules' tests come as jars, which ArchUnit's own option does not know. */
    static final class WithoutTestJars implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("-tests.jar");
        }
    }

    private static final String ADMISSION = "dev.weir.admission..";
    private static final String AUTH = "dev.weir.auth..";
    private static final String ENGINE = "dev.weir.engine..";
    private static final String GATEWAY = "dev.weir.gateway..";
    private static final String QUERY = "dev.weir.gateway.query..";
    private static final String HTTP = "dev.weir.gateway.http..";
    private static final String FLIGHT = "dev.weir.gateway.flightsql..";
    private static final String CLI = "dev.weir.gateway.cli..";
    private static final String CONFIG = "dev.weir.gateway.config..";
    private static final String METRICS = "dev.weir.gateway.metrics..";

    @ArchTest
    static final ArchRule admissionIsPureJava = classes()
            .that()
            .resideInAPackage(ADMISSION)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    ADMISSION,
                    "java..",
                    "org.jspecify..",
                    "com.google.errorprone.annotations..",
                    "io.github.bucket4j..");

    @ArchTest
    static final ArchRule authKnowsNoOtherPart = noClasses()
            .that()
            .resideInAPackage(AUTH)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(ADMISSION, ENGINE, GATEWAY);

    @ArchTest
    static final ArchRule engineKnowsNoOtherPart = noClasses()
            .that()
            .resideInAPackage(ENGINE)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(ADMISSION, AUTH, GATEWAY, "org.springframework..");

    @ArchTest
    static final ArchRule theEngineSpiKnowsNoEngine = noClasses()
            .that()
            .resideInAPackage("dev.weir.engine")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("dev.weir.engine.*..");

    @ArchTest
    static final ArchRule onlyItsTwoSidesKnowTheProtocol = noClasses()
            .that()
            .resideOutsideOfPackages("dev.weir.engine.wire..", "dev.weir.engine.worker..", "dev.weir.engine.remote..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.weir.engine.wire..");

    @ArchTest
    static final ArchRule theTwoSidesKnowNoEngine = noClasses()
            .that()
            .resideInAnyPackage("dev.weir.engine.worker..", "dev.weir.engine.remote..", "dev.weir.engine.wire..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("dev.weir.engine.duckdb..", "dev.weir.engine.process..", "dev.weir.engine.cluster..");

    @ArchTest
    static final ArchRule theTwoSidesKnowNothingOfEachOther = noClasses()
            .that()
            .resideInAPackage("dev.weir.engine.worker..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.weir.engine.remote..");

    @ArchTest
    static final ArchRule severalWorkersAreReachedAsEachOfThemIs = noClasses()
            .that()
            .resideInAPackage("dev.weir.engine.cluster..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "dev.weir.engine.duckdb..",
                    "dev.weir.engine.process..",
                    "dev.weir.engine.wire..",
                    "dev.weir.engine.worker..");

    @ArchTest
    static final ArchRule onlyConfigKnowsTheEngines = noClasses()
            .that()
            .resideInAPackage(GATEWAY)
            .and()
            .resideOutsideOfPackages(CONFIG, CLI)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("dev.weir.engine.*..");

    @ArchTest
    static final ArchRule onlyTheGatewayKnowsTheProcesses = noClasses()
            .that()
            .resideOutsideOfPackages("dev.weir.engine.process..", GATEWAY)
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.weir.engine.process..");

    @ArchTest
    static final ArchRule queryKnowsNoFront = noClasses()
            .that()
            .resideInAPackage(QUERY)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    HTTP,
                    FLIGHT,
                    CLI,
                    CONFIG,
                    METRICS,
                    "org.springframework..",
                    "io.grpc..",
                    "org.apache.arrow.flight..");

    @ArchTest
    static final ArchRule queryTakesIdentityAndNothingElseOfAuth = noClasses()
            .that()
            .resideInAPackage(QUERY)
            .should()
            .dependOnClassesThat(resideInAnyPackage(AUTH)
                    .and(describe(
                            "are not Identity or Role",
                            (JavaClass type) -> !type.getSimpleName().equals("Identity")
                                    && !type.getSimpleName().equals("Role"))));

    private static DescribedPredicate<JavaClass> admissionBeyondValues() {
        return resideInAnyPackage(ADMISSION)
                .and(describe("are neither enums nor records", (JavaClass type) -> !type.isEnum() && !type.isRecord()));
    }

    private static ArchRule frontsTakeOnlyValuesOfAdmission(String front) {
        return noClasses().that().resideInAPackage(front).should().dependOnClassesThat(admissionBeyondValues());
    }

    @ArchTest
    static final ArchRule httpTakesOnlyValuesOfAdmission = frontsTakeOnlyValuesOfAdmission(HTTP);

    @ArchTest
    static final ArchRule flightTakesOnlyValuesOfAdmission = frontsTakeOnlyValuesOfAdmission(FLIGHT);

    /** Fronts see the SPI's values (settings, requests, kinds) and encoded batches, never an engine or its results. */
    private static final ArchRule frontsTakeOnlyValuesOfTheSpi(String front) {
        return noClasses()
                .that()
                .resideInAPackage(front)
                .should()
                .dependOnClassesThat(resideInAnyPackage(ENGINE)
                        .and(describe(
                                "are neither enums nor records",
                                (JavaClass type) -> !type.isEnum()
                                        && !type.isRecord()
                                        && !type.isEquivalentTo(EncodedBatch.class)
                                        && !type.isEquivalentTo(EngineException.class))));
    }

    @ArchTest
    static final ArchRule httpTakesOnlyValuesOfTheSpi = frontsTakeOnlyValuesOfTheSpi(HTTP);

    @ArchTest
    static final ArchRule flightTakesOnlyValuesOfTheSpi = frontsTakeOnlyValuesOfTheSpi(FLIGHT);

    @ArchTest
    static final ArchRule httpKnowsNoOtherFront = noClasses()
            .that()
            .resideInAPackage(HTTP)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(FLIGHT, CLI, CONFIG, METRICS);

    @ArchTest
    static final ArchRule flightKnowsNoOtherFront = noClasses()
            .that()
            .resideInAPackage(FLIGHT)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(HTTP, CLI, CONFIG, METRICS);

    @ArchTest
    static final ArchRule metricsListen = noClasses()
            .that()
            .resideInAPackage(METRICS)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(HTTP, FLIGHT, CLI, CONFIG, AUTH);

    @ArchTest
    static final ArchRule onlyAuthAndConfigSeeSpringSecurity = noClasses()
            .that()
            .resideOutsideOfPackages(AUTH, CONFIG, HTTP)
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.springframework.security..");

    @ArchTest
    static final ArchRule packagesHaveNoCycles =
            slices().matching("dev.weir.gateway.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule noDumpingGround =
            noClasses().should().resideInAnyPackage("..util..", "..utils..", "..common..", "..helper..", "..misc..");
}
