package crseval.client;

import crseval.generated.model.Problem;
import crseval.generated.model.ProblemError;
import java.util.List;

/** The service told a problem, or no answer came; then the status is 0 and the problem null. */
public final class CrsEvalException extends Exception {
  private static final long serialVersionUID = 1L;
  private final int status;
  private final transient Problem problem;

  CrsEvalException(int status, Problem problem, String otherwise, Throwable cause) {
    super(message(status, problem, otherwise), cause);
    this.status = status;
    this.problem = problem;
  }

  /** The status of the answer. */
  public int status() {
    return status;
  }

  /** What is wrong and how to fix it; null where a proxy answered in the service's place. */
  public Problem problem() {
    return problem;
  }

  private static String message(int status, Problem problem, String otherwise) {
    if (problem == null) {
      return status + " " + otherwise;
    }
    List<ProblemError> errors = problem.getErrors();
    if (errors == null || errors.isEmpty()) {
      return status + " " + problem.getDetail();
    }
    // The detail repeats the first of the errors.
    StringBuilder said = new StringBuilder().append(status).append(' ').append(problem.getTitle());
    for (ProblemError error : errors) {
      String place = error.getPointer().isEmpty() ? "the body" : error.getPointer();
      said.append("\n  ").append(place).append(": ").append(error.getDetail());
      said.append("; ").append(error.getFix());
    }
    return said.toString();
  }
}
