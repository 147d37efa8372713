package record

// Place is where packets were lost, as reports name it. Each UPF has places of its
// own besides these.
type Place string

// The places that every deployment has.
const (
	PlaceUPFRing      Place = "receive ring of the UPF"
	PlaceUPFProgram   Place = "XDP program of the UPF: drop"
	PlaceBridgeBefore Place = "receive ring of the bridge before the UPF"
	PlaceBridgeBehind Place = "receive ring of the bridge behind the UPF"
	PlaceSinkRing     Place = "receive ring of the sink"
	PlaceSinkSocket   Place = "receive ring of the sink (packet socket)"
	PlaceKernelPrefix Place = "UPF's kernel: " // before the kernel's own reason
)

// Side is whose loss a place is.
type Side string

// The sides of a place.
const (
	SideLink Side = "link" // in front of the DUT
	SideDUT  Side = "dut"  // inside it
	SideSink Side = "sink" // in front of our own receiver
)
