package receive

// reason is why a packet is wrong; the first that was found counts.
type reason int

// The reasons, in the order of traffic.Faults.
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
