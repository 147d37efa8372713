package fleet

// Plan is a campaign as it was submitted: its jobs, in the order of the queue.
type Plan struct {
	Campaign string `json:"campaign"`
	Version  string `json:"version"` // of the upflab that submitted it
	Jobs     []Job  `json:"jobs"`
}

// Classes are those of the jobs.
func (p *Plan) Classes() map[string]Class {
	m := map[string]Class{}
	for _, j := range p.Jobs {
		m[j.Class.ID()] = j.Class
	}
	return m
}
