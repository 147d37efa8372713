// Package offload is segmentation and checksums as a TUN or TAP device or a packet socket
// leaves them to its reader and its writer, by the virtio-net header before each packet: what
// the kernel hands over uncut is cut and its checksums are finished (Cutter), and packets of a
// flow are handed to the kernel as one, which it cuts where they leave (Merger).
//
// It does no I/O and allocates nothing once its buffers have grown.
package offload
