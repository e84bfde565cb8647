"""What vetting looks at (`shapes`) and what it tells a person to write (`lines`). `gate.vet` walks the schema."""
