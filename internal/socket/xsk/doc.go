// Package xsk is AF_XDP sockets that send: memory that a process shares with the kernel, and
// the rings of what is in it. What is received is left to XDP programs.
//
// Open gives a socket as it is; Sender sends single frames by one, which the kernel copies, on
// any interface: two thirds of the time that a packet socket takes for each.
package xsk
