// Package n3socket is N3 by UDP sockets of the kernel: many G-PDUs a system call, and a
// socket for each worker, chosen by the TEID so that the packets of one tunnel stay in
// order and one gNB does not mean one CPU. What is no G-PDU comes in by a socket of its own.
//
// G-PDUs to one gNB that are equally long leave as one message that the kernel cuts (UDP
// GSO); with one worker they come in so, too (UDP GRO).
package n3socket
