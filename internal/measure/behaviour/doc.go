// Package behaviour holds a UPF to what it accepted: cases establish sessions by PFCP,
// send packets through the UPF, and compare what arrives, what is counted and what is
// reported with what the rules ask. Package cases has the cases.
//
// What a busy machine can cause, packets that are missing, late or too few, is a
// verdict only when it happens in each of Attempts runs of a case on new sessions.
// Everything else (packets that should not arrive, altered or duplicated ones, wrong
// answers) is one at once.
package behaviour
