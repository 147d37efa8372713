// Package vm boots a guest under QEMU that sees this machine's files and runs one command in it: another
// kernel, or emulated NICs, without a disk image.
//
// The guest's root is this machine's, read only, below a layer of memory. Folders that are given to it are
// written through. It has no network but what Machine.NIC gives it. Its first process is this program, see package
// inside; the initramfs that has it exists in memory alone, and the guest ends with this process.
package vm
