// Package afxdp is the engine that sends by AF_XDP sockets and receives as the engine
// xdp does, in an XDP program at the port. It is for drivers to which XDP live frames
// cannot be redirected: where a driver has zero copy the NIC reads frames from this
// process's memory, elsewhere the kernel copies each into a socket buffer.
//
// Each CPU that sends has a socket for each port, bound to the queue of its number.
package afxdp
