package record

// Arrivals is the arrival process of a trial: how its packets lie in time. With it and
// the load the same packets can be sent again.
type Arrivals struct {
	Process      string  `json:"process"`                 // "poisson", "bursts", "on-off", "replay", or SingleBurst
	Seed         uint64  `json:"seed,omitempty"`          // of poisson: of this trial, by direction, load and repeat
	BurstPackets int     `json:"burst_packets,omitempty"` // of bursts
	OnS          float64 `json:"on_s,omitempty"`          // of on-off
	OffS         float64 `json:"off_s,omitempty"`
}

// SingleBurst is the process of a trial that is one burst.
const SingleBurst = "burst"

// ArrivalsTitle names an arrival process for readers: "Poisson arrivals".
func ArrivalsTitle(process string) string {
	switch process {
	case "":
		return "constant gaps"
	case "poisson":
		return "Poisson arrivals"
	}
	return process + " arrivals"
}
