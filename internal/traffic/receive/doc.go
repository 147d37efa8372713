// Package receive does in user space what an engine has to do with a frame that
// arrives: it finds the signature by parsing, compares every header with what the
// rules ask for, follows each stream's sequence and measures latency. It is the
// XDP sink's twin for engines without BPF: the same frames give the same counts.
//
// It does no I/O, and nothing in it allocates once a Receiver is made.
package receive
