package record

// Direction of user traffic.
type Direction string

// The directions: uplink is N3 to N6. Both is the two at once: every second packet
// is an uplink one, and a load is the sum.
const (
	Uplink   Direction = "uplink"
	Downlink Direction = "downlink"
	Both     Direction = "both"
)

// Each gives the directions that packets take: both is uplink and downlink.
func (d Direction) Each() []Direction {
	if d == Both {
		return []Direction{Uplink, Downlink}
	}
	return []Direction{d}
}
