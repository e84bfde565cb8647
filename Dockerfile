# The lab in a container, for a hub or a room of browsers:
#     docker build -t gate-lab . && docker run --rm -p 8888:8888 gate-lab
# It prints an address with a token; put the machine's name into it. Answers stay in the container: add
# `-v "$PWD/work:/home/learner/gate-lab/work"` (a folder of user 1000) to keep them.
FROM python:3.13-slim

RUN useradd --create-home --uid 1000 learner && install -d -o learner -g learner /home/learner/gate-lab
USER learner
WORKDIR /home/learner/gate-lab

# The packages first: they change less often than the kit.
COPY --chown=learner:learner bootstrap.py pyproject.toml requirements.txt README.md LICENSE ./
COPY --chown=learner:learner start start
COPY --chown=learner:learner gate gate
RUN python bootstrap.py setup

COPY --chown=learner:learner . .

EXPOSE 8888
CMD ["python", "bootstrap.py", "lab", "--ServerApp.ip=0.0.0.0", "--ServerApp.port=8888", "--ServerApp.open_browser=False"]
