package receive

// reason is why a packet is wrong; the first that was found counts.
type reason int

// The reasons, in the order in which the XDP sink has them.
const (
	right reason = iota - 1
	wrongEthernet
	wrongOuterIP
	wrongOuterUDP
	wrongGTP
	wrongTEID
	wrongPSC
	wrongQFI
	wrongNotEncapsulated
	wrongStillEncapsulated
	wrongInnerIP
	wrongInnerAddress
	wrongInnerUDP
	wrongChecksum
	wrongPayload
	wrongSignature
	reasons
)

// Reasons are their names, as reports have them.
func Reasons() [reasons]string {
	return [...]string{
		"destination MAC", "outer IP header", "outer UDP header", "GTP-U header", "TEID",
		"no PDU session container", "QFI", "not encapsulated", "still encapsulated", "inner IP header",
		"inner address", "inner UDP header", "inner UDP checksum", "payload", "signature",
	}
}
