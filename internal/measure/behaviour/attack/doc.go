// Package attack has the behaviour cases in which somebody means harm: PFCP messages and
// GTP-U packets that are made by grammar and by mutation of valid ones, inputs that are
// known to have ended a UPF, and floods. What ended a UPF is made small and kept as a file
// that can be replayed.
package attack
