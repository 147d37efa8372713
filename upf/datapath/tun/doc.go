// Package tun is a datapath between UDP sockets on N3 and a TUN or TAP device, from where
// the kernel routes to and from N6. It needs no BPF and no XDP, only /dev/net/tun.
//
// Each worker is a thread with a socket and a queue of the device. It sleeps until
// either has packets, takes all that there are, up to a batch, and hands them over with as
// few system calls as it can: packets of one flow go into the device as one that the
// kernel cuts where it leaves, what the kernel has not cut yet comes out of it whole, and
// G-PDUs to one gNB leave together.
//
// The kernel forwards between the device and N6, so that it decrements the TTL there,
// resolves neighbours and, towards UEs, fragments or answers what is too big. Its
// own route decides whether a packet leaves by N6, as for the other datapaths.
package tun
