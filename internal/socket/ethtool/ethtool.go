// Package ethtool reads and changes settings of network devices by SIOCETHTOOL (include/uapi/linux/ethtool.h), in the
// network namespace of the calling thread.
//
// Requests are slices: the kernel is given an address that the collector knows, and which stays where it is.
package ethtool

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Commands.
const (
	getDriver      = 0x03
	getStrings     = 0x1b
	getStats       = 0x1d
	getSetInfo     = 0x37
	getFeatures    = 0x3a
	setFeatures    = 0x3b
	getChannels    = 0x3c
	setChannels    = 0x3d
	ofStats        = 1 // sets of strings
	ofFeatures     = 4
	stringBytes    = 32
	getBlockBytes  = 16 // of 32 features: available, requested, active, never changed
	setBlockBytes  = 8  // valid, requested
	activeAt       = 8
	featuresAt     = 8
	setInfoCountAt = 16
	stringsAt      = 12
	statsAt        = 8
)

// Do makes a request, and has the answer in its place. A request begins with its command, a number of 32 bits in
// the machine's order.
func Do(device string, request []byte) error {
	if len(device) >= unix.IFNAMSIZ {
		return fmt.Errorf("%s: the name of a device has at most %d octets", device, unix.IFNAMSIZ-1)
	}
	return open(func(fd int) error {
		var ifreq struct {
			name [unix.IFNAMSIZ]byte
			data unsafe.Pointer
			_    [16]byte
		}
		copy(ifreq.name[:unix.IFNAMSIZ-1], device)
		ifreq.data = unsafe.Pointer(unsafe.SliceData(request))
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCETHTOOL, uintptr(unsafe.Pointer(&ifreq)))
		runtime.KeepAlive(request)
		if errno != 0 {
			return fmt.Errorf("ethtool of %s: %w", device, errno)
		}
		return nil
	})
}

// open gives f a socket, which such requests need.
func open(f func(fd int) error) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("socket: %w", err)
	}
	defer unix.Close(fd)
	return f(fd)
}

// request is so many octets that begin with numbers.
func request(octets int, numbers ...uint32) []byte {
	b := make([]byte, octets)
	for i, n := range numbers {
		put(b, 4*i, n)
	}
	return b
}

func put(b []byte, at int, n uint32)    { binary.NativeEndian.PutUint32(b[at:], n) }
func number(b []byte, at int) uint32    { return binary.NativeEndian.Uint32(b[at:]) }
func isSet(b []byte, at, bit int) bool  { return number(b, at)&(1<<bit) != 0 }
func setBit(b []byte, at int, bit int)  { put(b, at, number(b, at)|1<<bit) }
func blocks(names []string) (count int) { return (len(names) + 31) / 32 }

// slack is for how many more strings or counters there is room than a device has: Linux before 6.9 writes as many as
// there are by then, whatever was asked for, and a driver has more with more queues.
const slack = 4096

// names are the strings of a set, in their order.
func names(device string, set uint32) ([]string, error) {
	info := request(setInfoCountAt+4, getSetInfo)
	binary.NativeEndian.PutUint64(info[8:], 1<<set)
	if err := Do(device, info); err != nil {
		return nil, err
	}
	n := int(number(info, setInfoCountAt))
	b := request(stringsAt+(n+slack)*stringBytes, getStrings, set, uint32(n))
	if err := Do(device, b); err != nil {
		return nil, err
	}
	if got := int(number(b, 8)); got != n {
		return nil, fmt.Errorf("%s has %d names, and had %d: its queues change", device, got, n)
	}
	list := make([]string, n)
	for i := range list {
		list[i] = unix.ByteSliceToString(b[stringsAt+i*stringBytes:][:stringBytes])
	}
	return list, nil
}

// Features are a device's offloads by the names that `ethtool -k` of a new kernel gives them, and whether each is on.
func Features(device string) (map[string]bool, error) {
	list, err := names(device, ofFeatures)
	if err != nil {
		return nil, err
	}
	b := request(featuresAt+blocks(list)*getBlockBytes, getFeatures, uint32(blocks(list)))
	if err := Do(device, b); err != nil {
		return nil, err
	}
	on := map[string]bool{}
	for i, name := range list {
		if name != "" {
			on[name] = isSet(b, featuresAt+i/32*getBlockBytes+activeAt, i%32)
		}
	}
	return on, nil
}

// SetFeatures switches offloads on and off. The kernel leaves one as it is that the device cannot change.
func SetFeatures(device string, want map[string]bool) error {
	list, err := names(device, ofFeatures)
	if err != nil {
		return err
	}
	b := request(featuresAt+blocks(list)*setBlockBytes, setFeatures, uint32(blocks(list)))
	known := 0
	for i, name := range list {
		on, asked := want[name]
		if !asked || name == "" {
			continue
		}
		known++
		at := featuresAt + i/32*setBlockBytes
		setBit(b, at, i%32)
		if on {
			setBit(b, at+4, i%32)
		}
	}
	if known < len(want) {
		return fmt.Errorf("%s does not have all of %v", device, want)
	}
	return Do(device, b)
}

// Channels are a device's queues: those of it that receive, send, and do both.
type Channels struct{ Receive, Send, Other, Combined uint32 }

const channelsBytes = 9 * 4

// ChannelsOf are the most queues that a device can have, and those that it has.
func ChannelsOf(device string) (most, now Channels, err error) {
	b := request(channelsBytes, getChannels)
	if err := Do(device, b); err != nil {
		return most, now, err
	}
	four := func(at int) Channels {
		return Channels{number(b, at), number(b, at+4), number(b, at+8), number(b, at+12)}
	}
	return four(4), four(20), nil
}

// SetChannels gives a device so many queues.
func SetChannels(device string, c Channels) error {
	return Do(device, request(channelsBytes, setChannels, 0, 0, 0, 0, c.Receive, c.Send, c.Other, c.Combined))
}

// Stats are a driver's counters, as `ethtool -S` shows them.
func Stats(device string) (map[string]uint64, error) {
	list, err := names(device, ofStats)
	if err != nil {
		return nil, err
	}
	b := request(statsAt+8*(len(list)+slack), getStats, uint32(len(list)))
	if err := Do(device, b); err != nil {
		return nil, err
	}
	if got := int(number(b, 4)); got != len(list) {
		return nil, fmt.Errorf("%s has %d counters, and had %d: its queues change", device, got, len(list))
	}
	stats := make(map[string]uint64, len(list))
	for i, name := range list {
		if name != "" {
			stats[name] = binary.NativeEndian.Uint64(b[statsAt+8*i:])
		}
	}
	return stats, nil
}

// Driver is a device's driver, as "igb", and where on which bus the device is, as "0000:00:03.0".
func Driver(device string) (name, bus string, err error) {
	const driverAt, busAt, octets = 4, 100, 196
	b := request(octets, getDriver)
	if err := Do(device, b); err != nil {
		return "", "", err
	}
	return unix.ByteSliceToString(b[driverAt:][:stringBytes]), unix.ByteSliceToString(b[busAt:][:stringBytes]), nil
}

// Clock is the number of the clock, N of /dev/ptpN, by which a device stamps the packets that it receives; below 0: it
// has none, or stamps none.
func Clock(device string) (n int, err error) {
	n = -1
	err = open(func(fd int) error {
		info, err := unix.IoctlGetEthtoolTsInfo(fd, device)
		if err == nil && info.So_timestamping&unix.SOF_TIMESTAMPING_RX_HARDWARE != 0 {
			n = int(info.Phc_index)
		}
		return err
	})
	return n, err
}
