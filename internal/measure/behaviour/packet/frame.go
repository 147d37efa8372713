package packet

// LeastFrame is the length of the shortest Ethernet frame without its checksum, octets (IEEE 802.3 clause 3.2.8).
const LeastFrame = 60

// Pad gives a frame as it is on a link: a short one with octets of 0 behind its packet. A virtual link does not add them.
func Pad(frame []byte) []byte {
	if short := LeastFrame - len(frame); short > 0 {
		return append(frame[:len(frame):len(frame)], make([]byte, short)...)
	}
	return frame
}

// Frame is an IPv4 packet in an Ethernet frame from a UE's station, whose address is locally
// administered, to all stations: it comes out of any port of the data network.
func Frame(ip []byte) []byte {
	return append([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 1, 0x08, 0x00}, ip...)
}
