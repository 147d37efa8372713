package packet

// Frame is an IPv4 packet in an Ethernet frame from a UE's station, whose address is locally
// administered, to all stations: it comes out of any port of the data network.
func Frame(ip []byte) []byte {
	return append([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 1, 0x08, 0x00}, ip...)
}
