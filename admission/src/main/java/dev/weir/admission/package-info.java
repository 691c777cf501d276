/**
 * Admission control: who may run, and when. Limits, queues, reservations and their explanation, in pure Java.
 *
 * <p>May import the JDK, JSpecify, Error Prone annotations and Bucket4j; nothing else: no Spring, no Arrow, no metrics.
 */
@NullMarked
package dev.weir.admission;

import org.jspecify.annotations.NullMarked;
