// Package sender sends by a schedule from user space, for engines that hand frames to
// the kernel: packet sockets and AF_XDP sockets. One thread a CPU spins until a slot is
// due, builds what is due from templates, and hands it to a Port in batches.
package sender
